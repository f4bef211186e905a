import type { Priority } from 'taskgate-client';
import { addDays, dayOf, momentOf } from '../app/days.ts';

/** A part of a line that says something of the task, and is not of its title. */
export type Token = { readonly text: string } & (
  | { readonly kind: 'priority'; readonly priority: Priority }
  | { readonly kind: 'tag'; readonly name: string }
  | { readonly kind: 'project'; readonly id: string; readonly name: string }
  | { readonly kind: 'date'; readonly day: string; readonly time: string | undefined }
);

/** A line as it was understood. */
export interface QuickAdd {
  readonly title: string;
  readonly tokens: readonly Token[];
}

/** What a line may name. */
export interface Known {
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly today: string;
}

const priorities: Readonly<Record<string, Priority>> = {
  ...{ high: 'HIGH', h: 'HIGH', '1': 'HIGH' },
  ...{ medium: 'MEDIUM', med: 'MEDIUM', m: 'MEDIUM', '2': 'MEDIUM' },
  ...{ low: 'LOW', l: 'LOW', '3': 'LOW' },
};
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const weekday = '(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:day)?';
const month =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const clock = String.raw`(?:(?:at )?([01]?\d|2[0-3]):([0-5]\d)(?: ?([ap]m))?|(?:at )?(1[0-2]|[1-9]) ?([ap]m))`;
const date = [
  '(today|tod|tomorrow|tom|next week)',
  `((?:next )?${weekday})`,
  String.raw`in (\d{1,3}) (day|week|month)s?`,
  String.raw`(\d{4}-\d\d-\d\d)`,
  String.raw`(\d{1,2})\.? (${month})`,
  String.raw`(${month}) (\d{1,2})`,
].join('|');
const dated = new RegExp(String.raw`(?<=^|\s)(?:(?:${date})(?: ${clock})?|${clock})(?=$|[\s,.!?])`, 'i');

function timeOf([hours, minutes, half, plain, plainHalf]: readonly (string | undefined)[]): string | undefined {
  const [hour, suffix] = [hours ?? plain, (half ?? plainHalf)?.toLowerCase()];
  if (hour === undefined) return undefined;
  const value = suffix === undefined ? Number(hour) : (Number(hour) % 12) + (suffix === 'pm' ? 12 : 0);
  return `${String(value).padStart(2, '0')}:${minutes ?? '00'}`;
}

/** The next day with that name; `next` in the week after. */
function dayNamed(name: string, today: string): string {
  const wanted = weekdays.indexOf(name.replace('next ', '').slice(0, 3));
  const ahead = (wanted - momentOf(today).getDay() + 7) % 7 || 7;
  return addDays(today, name.startsWith('next ') && ahead < 7 ? ahead + 7 : ahead);
}

/** A day of this year, else of the next one. */
function dayOfMonth(name: string, day: string, today: string): string | undefined {
  const index = months.indexOf(name.slice(0, 3).toLowerCase());
  const of = (year: number) => new Date(year, index, Number(day));
  const year = Number(today.slice(0, 4));
  if (of(year).getMonth() !== index) return undefined;
  const found = dayOf(of(year));
  return found < today ? dayOf(of(year + 1)) : found;
}

function readDate(match: RegExpExecArray, today: string): Token | undefined {
  const [text, near, named, count, unit, iso, dayBefore, monthAfter, monthBefore, dayAfter, ...clocks] = match;
  const time = timeOf(clocks.slice(0, 5)) ?? timeOf(clocks.slice(5));
  let day: string | undefined = today;
  if (near !== undefined) day = addDays(today, { tod: 0, tom: 1, nex: 7 }[near.slice(0, 3).toLowerCase()] ?? 0);
  else if (named !== undefined) day = dayNamed(named.toLowerCase(), today);
  else if (unit !== undefined) {
    const days = Number(count) * ({ day: 1, week: 7 }[unit.toLowerCase()] ?? 0);
    day = addDays(today, days);
    if (days === 0 && Number(count) > 0) {
      const moment = momentOf(today, '12:00');
      moment.setMonth(moment.getMonth() + Number(count));
      day = dayOf(moment);
    }
  } else if (iso !== undefined) day = Number.isNaN(momentOf(iso).getTime()) ? undefined : iso;
  else if (monthAfter !== undefined) day = dayOfMonth(monthAfter, dayBefore ?? '', today);
  else if (monthBefore !== undefined) day = dayOfMonth(monthBefore, dayAfter ?? '', today);
  return day === undefined ? undefined : { kind: 'date', text, day, time };
}

function readProject(rest: string, { projects }: Known): Token | undefined {
  const spellings = projects.flatMap(({ id, name }) =>
    [...new Set([name, name.replaceAll(' ', '-'), name.replaceAll(' ', '')])].map((spelling) => ({
      id,
      name,
      spelling,
    })),
  );
  const found = spellings
    .filter(({ spelling }) => rest.toLowerCase().startsWith(spelling.toLowerCase()))
    .filter(({ spelling }) => /^(\s|$)/.test(rest.slice(spelling.length)))
    .sort((a, b) => b.spelling.length - a.spelling.length)[0];
  return found && { kind: 'project', text: `@${rest.slice(0, found.spelling.length)}`, id: found.id, name: found.name };
}

/** What begins with a sign, in order. */
function* signed(line: string, known: Known): Generator<Token> {
  for (const { index, 0: sign } of line.matchAll(/(?<=^|\s)[!#@](?=\S)/g)) {
    const rest = line.slice(index + 1);
    const [word = ''] = /^\S+/.exec(rest) ?? [];
    const priority = priorities[word.toLowerCase()];
    const project = sign === '@' ? readProject(rest, known) : undefined;
    if (sign === '!' && priority) yield { kind: 'priority', text: `!${word}`, priority };
    else if (sign === '#') yield { kind: 'tag', text: `#${word}`, name: word };
    else if (project) yield project;
  }
}

/**
 * Takes what a line says of a task out of its title: `!high`, `#tag`, `@project`, a date in words.
 * @param kept texts that are to stay in the title
 */
export function readQuickAdd(line: string, known: Known, kept: ReadonlySet<string> = new Set()): QuickAdd {
  const tokens: Token[] = [...signed(line, known)].filter(({ text }) => !kept.has(text));
  let title = line;
  for (const { text } of tokens) title = title.replace(text, ' ');
  const match = dated.exec(title);
  const date = match && readDate(match, known.today);
  if (date && !kept.has(date.text)) {
    tokens.push(date);
    title = title.replace(date.text, ' ');
  }
  return { title: title.replaceAll(/\s+/g, ' ').trim(), tokens };
}
