import type { Priority, RecurrenceInput } from 'taskgate-client';
import { dayOf, momentOf, timeOf } from '../app/days.ts';
import { type Calendar, dateIn, type Span } from './date-in-text.ts';
import { repeatIn } from './repeat-in-text.ts';

/** A part of the line that sets a field and leaves the title. */
export type Token = { readonly text: string; readonly spans: readonly Span[] } & (
  | { readonly kind: 'priority'; readonly priority: Priority }
  | { readonly kind: 'tag'; readonly name: string }
  | { readonly kind: 'project'; readonly id: string; readonly name: string }
  | { readonly kind: 'assignee'; readonly id: string; readonly name: string }
  | { readonly kind: 'date'; readonly day: string; readonly time: string | undefined }
  | { readonly kind: 'repeat'; readonly day: string; readonly recurrence: RecurrenceInput }
);

export interface QuickAdd {
  readonly title: string;
  readonly tokens: readonly Token[];
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly aliases?: readonly string[];
}

export interface QuickAddContext extends Calendar {
  readonly projects: readonly Named[];
  /** @param projectId undefined without a project in the line */
  readonly membersOf: (projectId: string | undefined) => readonly Named[];
  /** The day of a time without a day. Absent: today. */
  readonly defaultDay?: string | undefined;
  /** The first day of a rule. Undefined if the rule is refused. */
  readonly firstDayOf: (recurrence: RecurrenceInput, day?: string) => string | undefined;
}

const priorities: Readonly<Record<string, Priority>> = {
  ...{ high: 'HIGH', h: 'HIGH', '1': 'HIGH' },
  ...{ medium: 'MEDIUM', med: 'MEDIUM', m: 'MEDIUM', '2': 'MEDIUM' },
  ...{ low: 'LOW', l: 'LOW', '3': 'LOW' },
};

const punctuation = /[,.;:!?)]*$/;

/** The longest spelling wins. */
function namedIn(rest: string, all: readonly Named[]) {
  const spellings = all.flatMap(({ id, name, aliases = [] }) =>
    [name, name.replaceAll(' ', '-'), name.replaceAll(' ', ''), ...aliases].map((spelling) => ({ id, name, spelling })),
  );
  return spellings
    .filter(({ spelling }) => rest.toLowerCase().startsWith(spelling.toLowerCase()))
    .filter(({ spelling }) => /^[,.;:!?)]*(\s|$)/.test(rest.slice(spelling.length)))
    .sort((a, b) => b.spelling.length - a.spelling.length)[0];
}

/** Finds one priority, one project, members, and tags with a letter or a symbol. */
function readSignTokens(line: string, projects: readonly Named[], members: readonly Named[]): Token[] {
  const tokens: Token[] = [];
  const isFirst = (kind: Token['kind']) => !tokens.some((token) => token.kind === kind);
  for (const { index: start, 0: sign } of line.matchAll(/(?<=^|\s)[!#@+](?=\S)/g)) {
    if (start < (tokens.at(-1)?.spans[0]?.end ?? 0)) continue;
    const rest = line.slice(start + 1);
    const [text = ''] = /^\S+/.exec(rest) ?? [];
    const word = text.replace(punctuation, '');
    const createPart = (tokenText: string) => ({
      text: sign + tokenText,
      spans: [{ start, end: start + 1 + tokenText.length }],
    });
    const priority = priorities[word.toLowerCase()];
    const named = sign === '@' ? namedIn(rest, projects) : sign === '+' ? namedIn(rest, members) : undefined;
    const kind = sign === '@' ? 'project' : 'assignee';
    if (sign === '!' && priority && isFirst('priority'))
      tokens.push({ ...createPart(word), kind: 'priority', priority });
    else if (sign === '#' && /[\p{L}\p{S}]/u.test(word) && word.length <= 255)
      tokens.push({ ...createPart(word), kind: 'tag', name: word });
    else if (named && (kind === 'assignee' || isFirst(kind))) {
      const { id, name, spelling } = named;
      tokens.push({ ...createPart(rest.slice(0, spelling.length)), kind, id, name });
    }
  }
  return tokens;
}

function removeSpans(line: string, spans: readonly Span[]): string {
  let text = line;
  for (const { start, end } of spans.toSorted((a, b) => b.start - a.start)) {
    text = text.slice(0, start).trimEnd() + text.slice(end);
  }
  // Punctuation after a removed first part would begin the title.
  return (spans.some(({ start }) => start === 0) ? text.replace(/^[,.;:!?)]+(?=\s|$)/, '') : text).trim();
}

const blank = (line: string, spans: readonly Span[]): string =>
  spans.reduce((text, { start, end }) => text.slice(0, start) + ' '.repeat(end - start) + text.slice(end), line);

/** @param dismissedTexts token texts that stay in the title, because the user removed their chips */
export function readQuickAdd(
  line: string,
  context: QuickAddContext,
  dismissedTexts: ReadonlySet<string> = new Set(),
): QuickAdd {
  const signTokens = (members: readonly Named[]) =>
    readSignTokens(line, context.projects, members).filter(({ text }) => !dismissedTexts.has(text));
  const project = signTokens([]).find((token) => token.kind === 'project');
  const tokens = signTokens(context.membersOf(project?.id));
  const spans = tokens.flatMap((token) => token.spans);
  const textOf = (parts: readonly Span[]) => parts.map(({ start, end }) => line.slice(start, end)).join(' ');
  const find = <Found extends { spans: readonly Span[] }>(
    read: (text: string, calendar: Calendar) => Found | undefined,
  ) => {
    const found = read(blank(line, spans), context);
    return found && !dismissedTexts.has(textOf(found.spans)) ? found : undefined;
  };
  const repeat = find(repeatIn);
  spans.push(...(repeat?.spans ?? []));
  const date = find(dateIn);
  let day = date?.day ?? dayOf(context.now);
  if (repeat) {
    const text = textOf(repeat.spans);
    const recurrence = repeat.recurrenceFrom(day);
    const first = context.firstDayOf(recurrence, date?.day);
    if (first === undefined) return readQuickAdd(line, context, new Set([...dismissedTexts, text]));
    day = first;
    tokens.push({ kind: 'repeat', text, spans: repeat.spans, recurrence, day });
  } else day = date?.day ?? context.defaultDay ?? day;
  // A change of the clocks may skip the time.
  if (date && (date.time === undefined || timeOf(momentOf(day, date.time).toISOString()) === date.time)) {
    spans.push(...date.spans);
    tokens.push({ kind: 'date', text: textOf(date.spans), ...date, day });
  }
  return { title: removeSpans(line, spans), tokens };
}
