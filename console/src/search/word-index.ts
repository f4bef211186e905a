import { wordsOf } from './words.ts';

/** Matches from worst to best. `alike` words contain the query's word, or begin with it except for one typo. */
export const fits = { not: 0, alike: 1, begun: 2, whole: 3 } as const;
type Fit = (typeof fits)[keyof typeof fits];

/** The fewest letters of a word with a typo, and of a query that finds similar words. */
const minLetters = { misspelt: 5, asked: 4 };

/** A number is never a typo of another number. */
const isNumber = /^\d+$/;

export function fitOf(asked: string, word: string): Fit {
  if (word.startsWith(asked)) return word.length === asked.length ? fits.whole : fits.begun;
  if (asked.length < minLetters.asked || word.length < minLetters.misspelt) return fits.not;
  const isAlike = isOneOff(asked, word) || word.includes(asked, 1);
  return isAlike && !isNumber.test(asked) && !isNumber.test(word) ? fits.alike : fits.not;
}

/** Whether a word begins with the query's word after one change: a letter replaced, added, left out or swapped. */
function isOneOff(asked: string, word: string): boolean {
  // Four letters with a typo are the beginning of too many words.
  if (asked.length < minLetters.misspelt && word.length > asked.length + 1) return false;
  let at = 0;
  while (asked.charCodeAt(at) === word.charCodeAt(at)) at += 1;
  return (
    goesOn(asked, at + 1, word, at + 1) ||
    goesOn(asked, at + 1, word, at) ||
    goesOn(asked, at, word, at + 1) ||
    (asked[at] === word[at + 1] && asked[at + 1] === word[at] && goesOn(asked, at + 2, word, at + 2))
  );
}

/** Makes no copies, because it runs for each word at each key. */
function goesOn(asked: string, from: number, word: string, to: number): boolean {
  for (let [a, b] = [from, to]; a < asked.length; a += 1, b += 1) {
    if (asked.charCodeAt(a) !== word.charCodeAt(b)) return false;
  }
  return true;
}

/** Obsolete items that trigger a rebuild, beyond twice the length of the list. */
const maxStale = 10_000;

export interface Searched {
  readonly title: string;
  readonly description?: string | null;
}

interface Posting {
  readonly word: string;
  readonly titles: number[];
  readonly descriptions: number[];
}

const ranks = { title: [0, 2, 5, 6], description: [0, 1, 3, 4] } as const;

/** An index from words to immutable items. An edit makes a new object, and the index reads only that. */
export class WordIndex<Item extends Searched> {
  #postings = new Map<string, Posting>();
  /** A deleted item keeps its number, but no list contains it. */
  #numbers = new WeakMap<Item, number>();
  #count = 0;
  /** A list stays the same array until it changes. */
  #list: { readonly items: readonly Item[]; readonly numbers: number[] } = { items: [], numbers: [] };
  #ranks = new Map<string, Uint8Array>();

  /** @param until stop time, as of `performance.now()` @returns whether all items are read */
  read(items: readonly Item[], until = Infinity): boolean {
    if (this.#count > 2 * items.length + maxStale) this.#clear();
    if (this.#list.items !== items) this.#list = { items, numbers: [] };
    const { numbers } = this.#list;
    for (const item of items.slice(numbers.length)) {
      const known = this.#numbers.get(item);
      if (known === undefined && performance.now() > until) return false;
      numbers.push(known ?? this.#read(item));
    }
    return true;
  }

  /** Includes edited and deleted items. */
  get size(): number {
    return this.#count;
  }

  #clear(): void {
    this.#postings = new Map();
    this.#numbers = new WeakMap();
    this.#list = { items: [], numbers: [] };
    this.#ranks = new Map();
    this.#count = 0;
  }

  #read(item: Item): number {
    const number = this.#count;
    this.#count += 1;
    this.#numbers.set(item, number);
    for (const posting of this.#postingsOf(item.title)) posting.titles.push(number);
    for (const posting of this.#postingsOf(item.description ?? '')) posting.descriptions.push(number);
    return number;
  }

  #postingsOf(text: string): Set<Posting> {
    return new Set(wordsOf(text).map((word) => this.#postingOf(word)));
  }

  #postingOf(word: string): Posting {
    const known = this.#postings.get(word);
    if (known) return known;
    const posting = { word, titles: [], descriptions: [] };
    this.#postings.set(word, posting);
    return posting;
  }

  /** Titles precede descriptions and similar words. Whole words precede beginnings. */
  find(items: readonly Item[], asked: readonly string[]): Item[] {
    this.read(items);
    this.#ranks = new Map(asked.map((word) => [word, this.#ranksOf(word)]));
    const [first, ...others] = this.#ranks.values();
    const worst = others.reduce((all, each) => all?.map((rank, number) => Math.min(rank, each[number] ?? 0)), first);
    const found: Item[][] = [];
    this.#list.numbers.forEach((number, index) => {
      const [item, rank] = [items[index], worst?.[number] ?? 0];
      if (item && rank > 0) (found[rank] ??= []).push(item);
    });
    return found.reverse().flat();
  }

  #ranksOf(asked: string): Uint8Array {
    const last = this.#ranks.get(asked);
    if (last?.length === this.#count) return last;
    const best = new Uint8Array(this.#count);
    const raise = (numbers: readonly number[], rank: number) => {
      for (const number of numbers) if ((best[number] ?? 0) < rank) best[number] = rank;
    };
    for (const { word, titles, descriptions } of this.#postings.values()) {
      const fit = fitOf(asked, word);
      if (fit === fits.not) continue;
      raise(titles, ranks.title[fit]);
      raise(descriptions, ranks.description[fit]);
    }
    return best;
  }
}
