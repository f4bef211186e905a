import type { Priority } from 'taskgate-client';
import { type Calendar, dateIn, type Span } from './date-in-text.ts';

/** A part of the line that sets a field and leaves the title. */
export type Token = { readonly text: string; readonly spans: readonly Span[] } & (
  | { readonly kind: 'priority'; readonly priority: Priority }
  | { readonly kind: 'tag'; readonly name: string }
  | { readonly kind: 'project'; readonly id: string; readonly name: string }
  | { readonly kind: 'date'; readonly day: string; readonly time: string | undefined }
);

export interface QuickAdd {
  readonly title: string;
  readonly tokens: readonly Token[];
}

export interface Known extends Calendar {
  readonly projects: readonly { readonly id: string; readonly name: string }[];
}

const priorities: Readonly<Record<string, Priority>> = {
  ...{ high: 'HIGH', h: 'HIGH', '1': 'HIGH' },
  ...{ medium: 'MEDIUM', med: 'MEDIUM', m: 'MEDIUM', '2': 'MEDIUM' },
  ...{ low: 'LOW', l: 'LOW', '3': 'LOW' },
};

const punctuation = /[,.;:!?)]*$/;

/** The longest spelling wins. */
function projectIn(rest: string, { projects }: Known) {
  const spellings = projects.flatMap(({ id, name }) =>
    [name, name.replaceAll(' ', '-'), name.replaceAll(' ', '')].map((spelling) => ({ id, name, spelling })),
  );
  return spellings
    .filter(({ spelling }) => rest.toLowerCase().startsWith(spelling.toLowerCase()))
    .filter(({ spelling }) => /^[,.;:!?)]*(\s|$)/.test(rest.slice(spelling.length)))
    .sort((a, b) => b.spelling.length - a.spelling.length)[0];
}

/** Finds one priority, one project, and tags with a letter or a symbol. */
function signed(line: string, known: Known): Token[] {
  const tokens: Token[] = [];
  const isNew = (kind: Token['kind']) => !tokens.some((token) => token.kind === kind);
  for (const { index: start, 0: sign } of line.matchAll(/(?<=^|\s)[!#@](?=\S)/g)) {
    if (start < (tokens.at(-1)?.spans[0]?.end ?? 0)) continue;
    const rest = line.slice(start + 1);
    const [text = ''] = /^\S+/.exec(rest) ?? [];
    const word = text.replace(punctuation, '');
    const part = (named: string) => ({ text: sign + named, spans: [{ start, end: start + 1 + named.length }] });
    const priority = priorities[word.toLowerCase()];
    const project = sign === '@' ? projectIn(rest, known) : undefined;
    if (sign === '!' && priority && isNew('priority')) tokens.push({ ...part(word), kind: 'priority', priority });
    else if (sign === '#' && /[\p{L}\p{S}]/u.test(word) && word.length <= 255)
      tokens.push({ ...part(word), kind: 'tag', name: word });
    else if (project && isNew('project')) {
      const { id, name, spelling } = project;
      tokens.push({ ...part(rest.slice(0, spelling.length)), kind: 'project', id, name });
    }
  }
  return tokens;
}

function without(line: string, spans: readonly Span[]): string {
  let text = line;
  for (const { start, end } of spans.toSorted((a, b) => b.start - a.start)) {
    text = text.slice(0, start).trimEnd() + text.slice(end);
  }
  // Punctuation after a removed first part would begin the title.
  return (spans.some(({ start }) => start === 0) ? text.replace(/^[,.;:!?)]+(?=\s|$)/, '') : text).trim();
}

/** @param kept token texts that stay in the title, because the user removed their chips */
export function readQuickAdd(line: string, known: Known, kept: ReadonlySet<string> = new Set()): QuickAdd {
  const tokens = signed(line, known).filter(({ text }) => !kept.has(text));
  let words = line;
  for (const { start, end } of tokens.flatMap(({ spans }) => spans)) {
    words = words.slice(0, start) + ' '.repeat(end - start) + words.slice(end);
  }
  const date = dateIn(words, known);
  const text = date?.spans.map(({ start, end }) => line.slice(start, end)).join(' ');
  if (date && text !== undefined && !kept.has(text)) tokens.push({ kind: 'date', text, ...date });
  return {
    title: without(
      line,
      tokens.flatMap(({ spans }) => spans),
    ),
    tokens,
  };
}
