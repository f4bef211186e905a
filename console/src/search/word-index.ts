import { wordsOf } from './words.ts';

/** Matches from worst to best. `similar` words contain the query's word, or begin with it except for one typo. */
export const fits = { none: 0, similar: 1, prefix: 2, whole: 3 } as const;
type Fit = (typeof fits)[keyof typeof fits];

/** The fewest letters of a word with a typo, and of a query that finds similar words. */
const minLetters = { word: 5, query: 4 };

/** A number is never a typo of another number. */
const isNumber = /^\d+$/;

export function fitOf(queryWord: string, word: string): Fit {
  if (word.startsWith(queryWord)) return word.length === queryWord.length ? fits.whole : fits.prefix;
  if (queryWord.length < minLetters.query || word.length < minLetters.word) return fits.none;
  const isSimilar = hasOneTypo(queryWord, word) || word.includes(queryWord, 1);
  return isSimilar && !isNumber.test(queryWord) && !isNumber.test(word) ? fits.similar : fits.none;
}

/** Whether a word begins with the query's word after one change: a letter replaced, added, left out or swapped. */
function hasOneTypo(queryWord: string, word: string): boolean {
  // Four letters with a typo are the beginning of too many words.
  if (queryWord.length < minLetters.word && word.length > queryWord.length + 1) return false;
  let at = 0;
  while (queryWord.charCodeAt(at) === word.charCodeAt(at)) at += 1;
  return (
    hasSameRest(queryWord, at + 1, word, at + 1) ||
    hasSameRest(queryWord, at + 1, word, at) ||
    hasSameRest(queryWord, at, word, at + 1) ||
    (queryWord[at] === word[at + 1] && queryWord[at + 1] === word[at] && hasSameRest(queryWord, at + 2, word, at + 2))
  );
}

/** Makes no copies, because it runs for each word at each key. */
function hasSameRest(queryWord: string, from: number, word: string, to: number): boolean {
  for (let [a, b] = [from, to]; a < queryWord.length; a += 1, b += 1) {
    if (queryWord.charCodeAt(a) !== word.charCodeAt(b)) return false;
  }
  return true;
}

/** Obsolete items that trigger a rebuild, beyond twice the length of the list. */
const maxStale = 10_000;

export interface SearchItem {
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
export class WordIndex<Item extends SearchItem> {
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
  find(items: readonly Item[], queryWords: readonly string[]): Item[] {
    this.read(items);
    this.#ranks = new Map(queryWords.map((word) => [word, this.#ranksOf(word)]));
    const [first, ...others] = this.#ranks.values();
    const totalRanks = others.reduce(
      (all, each) => all?.map((rank, number) => Math.min(rank, each[number] ?? 0)),
      first,
    );
    const itemsByRank: Item[][] = [];
    this.#list.numbers.forEach((number, index) => {
      const [item, rank] = [items[index], totalRanks?.[number] ?? 0];
      if (item && rank > 0) (itemsByRank[rank] ??= []).push(item);
    });
    return itemsByRank.reverse().flat();
  }

  #ranksOf(queryWord: string): Uint8Array {
    const cached = this.#ranks.get(queryWord);
    if (cached?.length === this.#count) return cached;
    const rankOfItems = new Uint8Array(this.#count);
    const raise = (numbers: readonly number[], rank: number) => {
      for (const number of numbers) if ((rankOfItems[number] ?? 0) < rank) rankOfItems[number] = rank;
    };
    for (const { word, titles, descriptions } of this.#postings.values()) {
      const fit = fitOf(queryWord, word);
      if (fit === fits.none) continue;
      raise(titles, ranks.title[fit]);
      raise(descriptions, ranks.description[fit]);
    }
    return rankOfItems;
  }
}
