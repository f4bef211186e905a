import type { RecurrenceInput } from 'taskgate-client';
import { completeParts, endOfFebruary, mondayToFriday, onDay } from '../app/presets.ts';
import { type Calendar, form, month, monthOf, partAt, weekday } from './date-in-text.ts';

const list = (item: string) => String.raw`${item}(?:(?:, ?|,? and )${item})*`;
const nth = '(?:st|nd|rd|th)';
/** The rest of a phrase such as "every 5th page". */
const phrase = String.raw`[,.;:!?)]*\s+(?!(?:at|by|for|noon|of|until)\s)[a-z]`;
const days = [
  String.raw`(?<names>weekday|${list(weekday)})(?<!every (?:mon|sat|sun|wed)(?=${phrase}))`,
  `(?<position>last|first|second|third|fourth|[1-5]${nth}) (?<name>(?<=last )day|weekday|${weekday})`,
  String.raw`(?<date>\d\d?(?:${nth}|\.)? ${month}|${month} \d\d?${nth}?)`,
  String.raw`(?<numbers>${list(String.raw`(?:[1-9]|[12]\d|3[01])${nth}`)})(?!${phrase})`,
].join('|');
const unit = '(?:day|week|month|year)';
const repeat = form(
  String.raw`every(?<completion>!)?(?: (?<interval>other|[1-9]\d{0,2})(?= (?:${unit}|${weekday})))?(?: (?<unit>${unit})s?)?` +
    String.raw`(?:(?: on)?(?: the)? (?:${days}))?(?: of (?:the|each|every) month)?(?:,? (?:for )?(?<count>\d{1,5}) times)?`,
);

const numbersIn = (text: string) => Array.from(text.matchAll(/\d+/g), Number);
const codeOf = (name: string) => (/^weekday$/i.test(name) ? mondayToFriday : name.slice(0, 2).toUpperCase());

/** Returns the frequency and the other parts of a rule. */
function daysOf({ names, position = '', name, date, numbers = '' }: Readonly<Record<string, string>>): string[] {
  if (names)
    return [
      'WEEKLY',
      `;BYDAY=${names
        .split(/\W+(?:and )?/i)
        .map(codeOf)
        .join()}`,
    ];
  if (name) {
    const word = ['last', 'first', 'second', 'third', 'fourth'].indexOf(position.toLowerCase()) || -1;
    const [number = word] = numbersIn(position);
    if (/^day$/i.test(name)) return ['MONTHLY', `;BYMONTHDAY=${number}`];
    const code = codeOf(name);
    return ['MONTHLY', code === mondayToFriday ? `;BYDAY=${code};BYSETPOS=${number}` : `;BYDAY=${number}${code}`];
  }
  const [first, ...others] = numbersIn(date ?? numbers);
  if (date) {
    const number = monthOf(/[a-z]{3,}/i.exec(date)?.[0] ?? '');
    return ['YEARLY', first === 29 && number === 2 ? endOfFebruary : `;BYMONTH=${number};BYMONTHDAY=${first}`];
  }
  if (first === undefined) return [];
  return ['MONTHLY', others.length === 0 ? onDay(first) : `;BYMONTHDAY=${[first, ...others].join()}`];
}

/** Finds the first rule of a line. The service may refuse it. */
export function repeatIn(line: string, calendar: Calendar) {
  const match = Array.from(line.matchAll(repeat)).find(([text]) => text.includes(' '));
  if (!match) return undefined;
  const [start, [text], groups = {}] = [match.index, match, match.groups];
  const { completion, interval = '1', unit = '', count } = groups;
  const unitFrequency = { d: 'DAILY', w: 'WEEKLY', m: 'MONTHLY', y: 'YEARLY' }[unit.charAt(0).toLowerCase()];
  const [frequency = unitFrequency ?? '', parts] = daysOf(groups);
  if ((unitFrequency ?? frequency) !== frequency || (completion && parts)) return undefined;
  const step = /other/i.test(interval) ? 2 : Number(interval);
  const rule = `FREQ=${frequency}${step === 1 ? '' : `;INTERVAL=${step}`}`;
  const [until] = /^,? until (?=\S)/i.exec(line.slice(start + text.length)) ?? [];
  const last = until === undefined ? undefined : partAt(line, start + text.length + until.length, calendar);
  const end = last?.day ? `;UNTIL=${last.day.replaceAll('-', '')}` : count ? `;COUNT=${count}` : '';
  return {
    spans: [{ start, end: last?.day ? last.end : start + text.length }],
    /** @param day the first one */
    recurrenceFrom: (day: string): RecurrenceInput => ({
      rule: rule + (parts ?? (completion ? '' : completeParts(frequency, day))) + end,
      basis: completion ? 'COMPLETION' : 'SCHEDULE',
    }),
  };
}
