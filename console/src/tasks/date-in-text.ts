import { addDays, addMonths, dayOf, validDay, timeOf } from '../app/days.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface DateInText {
  readonly day: string | undefined;
  readonly time: string | undefined;
  readonly spans: readonly Span[];
}

export interface Calendar {
  readonly now: Date;
  /** Whether 1/2 is the first of February. */
  readonly isDayFirst: boolean;
}

interface Reading {
  readonly day?: string | undefined;
  readonly time?: string | undefined;
}

type Part = Reading & Span;
type Reader = (groups: readonly (string | undefined)[], calendar: Calendar) => Reading;

export const weekday =
  '(sun(?:day)?|mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:rs?|rsday)?|fri(?:day)?|sat(?:urday)?)';
export const month =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const year = String.raw`(2[01]\d\d)`;
const day = String.raw`(\d{1,2})`;

const indexIn = (names: string, name: string) => names.indexOf(name.slice(0, 3).toLowerCase()) / 3;
const weekdayOf = (name: string) => indexIn('sunmontuewedthufrisat', name);
export const monthOf = (name: string) => indexIn('janfebmaraprmayjunjulaugsepoctnovdec', name) + 1;

/** Without a year, returns the next such day. */
function resolveDay(yearText: string | undefined, monthNumber: number, dayText: string, now: Date): string | undefined {
  if (yearText !== undefined) return validDay(Number(yearText), monthNumber, Number(dayText));
  const found = validDay(now.getFullYear(), monthNumber, Number(dayText));
  const isPast = found !== undefined && found < dayOf(now);
  return isPast ? validDay(now.getFullYear() + 1, monthNumber, Number(dayText)) : found;
}

const readNumericDate: Reader = ([first = '', second = '', yearText], { now, isDayFirst }) => {
  const [dayText, monthText] = isDayFirst ? [first, second] : [second, first];
  return { day: resolveDay(yearText, Number(monthText), dayText, now) };
};

/** The next day with that name. `next` skips to the week after. */
const readWeekday: Reader = ([modifier, name = ''], { now }) => {
  const daysAhead = (weekdayOf(name) - now.getDay() + 7) % 7 || 7;
  return { day: addDays(dayOf(now), modifier?.toLowerCase() === 'next' && daysAhead < 7 ? daysAhead + 7 : daysAhead) };
};

const readRelativeDay: Reader = ([text = ''], { now }) => {
  const today = dayOf(now);
  const word = text.toLowerCase().replace('the ', '');
  if (word === 'next month') return { day: addMonths(today, 1) };
  return { day: addDays(today, { tomorrow: 1, 'day after tomorrow': 2, 'next week': 7 }[word] ?? 0) };
};

const readDistance: Reader = ([count = '', unit = ''], { now }) => {
  const number = /^an?$/i.test(count) ? 1 : Number(count);
  const today = dayOf(now);
  if (/^day/i.test(unit)) return { day: addDays(today, number) };
  if (/^week/i.test(unit)) return { day: addDays(today, number * 7) };
  if (/^month/i.test(unit)) return { day: addMonths(today, number) };
  const moment = new Date(now.getTime() + number * (/^h/i.test(unit) ? 3_600_000 : 60_000));
  return { day: dayOf(moment), time: timeOf(moment.toISOString()) };
};

const readTime: Reader = ([hour = '', minute = '00', half]) => {
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  return { time: `${String(hours).padStart(2, '0')}:${minute}` };
};

/** A form stands between spaces. Punctuation may follow it. */
export const form = (text: string) => new RegExp(String.raw`(?<=^|\s)${text}(?=[,.;:!?)]*(?:\s|$))`, 'gi');
const dayPrefix = '(?:(?:on|by) )?';
const timePrefix = '(?:(?:at|by) )?';
const forms: readonly (readonly [RegExp, Reader])[] = [
  [form(`${dayPrefix}(today|tonight|tomorrow|(?:the )?day after tomorrow|next (?:week|month))`), readRelativeDay],
  [form(`${dayPrefix}(?:(next|this) )?${weekday}`), readWeekday],
  [form(String.raw`in (\d{1,3}|an?) (days?|weeks?|months?|hours?|h|minutes?|min)`), readDistance],
  [
    form(String.raw`${dayPrefix}(\d{4})-(\d\d)-(\d\d)`),
    ([yearText = '', monthText, dayText = '']) => ({
      day: validDay(Number(yearText), Number(monthText), Number(dayText)),
    }),
  ],
  [
    form(String.raw`${dayPrefix}${day}\.? ${month}(?:,? ${year})?`),
    ([dayText = '', name = '', yearText], { now }) => ({ day: resolveDay(yearText, monthOf(name), dayText, now) }),
  ],
  [
    form(`${dayPrefix}${month} ${day}(?:,? ${year})?`),
    ([name = '', dayText = '', yearText], { now }) => ({ day: resolveDay(yearText, monthOf(name), dayText, now) }),
  ],
  [form(`${dayPrefix}${day}/${day}(?:/${year})?`), readNumericDate],
  [form(String.raw`${dayPrefix}${day}\.${day}\.${year}?`), readNumericDate],
  [form(`${timePrefix}(?:([01]?\\d|2[0-3]):([0-5]\\d))`), readTime],
  [form(`${timePrefix}(0?[1-9]|1[0-2])(?::([0-5]\\d))? ?([ap]m)`), readTime],
  [form(`${timePrefix}noon`), () => ({ time: '12:00' })],
];

/** A date after these words is not the due date. */
const otherDatePrefixes =
  /(?:^|\s)(?:about|after|before|each|every!?|except|for|last|of|past|per|since|than)(?: the)?\s+$|\d\s*[-–—]\s*$/i;
const rangePrefixes = /(?:^|\s)(?:and|between|from|or|through|till|to|until)(?: the)?\s+$/i;
/** A date before a number, am or pm may be half of something else. */
const ambiguousSuffixes = /^\s*(?:[-–—/]?\s*\d|[ap]m\b)/i;
/** Ordinary words, which are days only next to a time, or after `on`, `by`, `this` or `next`. */
const ordinaryWords = /^(?:sun|wed|sat)$/i;
/** Names or fractions, which are also days at the end of a line. */
const ambiguousNames = /^(?:mon|\d+[/.]\d+\.?|(?:\d+\.? )?(?:jan|mar|march|apr|april|may|june|aug|august)(?: \d+)?)$/i;

/** From left to right. If several forms begin at one index, the longest wins. */
function partsOf(line: string, calendar: Calendar): Part[] {
  const found = forms.flatMap(([pattern, read]) =>
    Array.from(line.matchAll(pattern), (match): Part => {
      const [text, ...groups] = match;
      return { ...read(groups, calendar), start: match.index, end: match.index + text.length };
    }),
  );
  const parts: Part[] = [];
  for (const part of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (part.start >= (parts.at(-1)?.end ?? 0)) parts.push(part);
  }
  return parts.filter((part) => part.day !== undefined || part.time !== undefined);
}

export const partAt = (line: string, index: number, calendar: Calendar): Part | undefined =>
  partsOf(line, calendar).find(({ start }) => start === index);

/** Finds the only date of a line. Day and time may be apart. @returns undefined if the line has no date, several dates, or one that does not exist */
export function dateIn(line: string, calendar: Calendar): DateInText | undefined {
  const allParts = partsOf(line, calendar);
  const textOf = ({ start, end }: Span) => line.slice(start, end);
  const isNextTo = (a: Part | undefined, b: Part | undefined) => a && b && /^[\s,]*$/.test(line.slice(a.end, b.start));
  const parts = allParts.filter((part, index) => {
    const rest = line.slice(part.end);
    const [before, after] = [allParts[index - 1], allParts[index + 1]];
    if (otherDatePrefixes.test(line.slice(0, part.start)) || (ambiguousSuffixes.test(rest) && !isNextTo(part, after)))
      return false;
    const hasTime = isNextTo(before, part) || isNextTo(part, after);
    return (
      hasTime ||
      !(ordinaryWords.test(textOf(part)) || (ambiguousNames.test(textOf(part)) && !/^[\s,.;:!?)]*$/.test(rest)))
    );
  });
  const days = parts.flatMap((part) => part.day ?? []);
  const times = parts.flatMap((part) => part.time ?? []);
  if (parts.length === 0 || days.length > 1 || times.length > 1) return undefined;
  if (parts.some(({ start }) => rangePrefixes.test(line.slice(0, start)))) return undefined;
  return { day: days[0], time: times[0], spans: parts };
}
