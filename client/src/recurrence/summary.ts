// Copied by `npm run schema`, from packages/recurrence/summary.ts.

import { completed, lists, parseRule, printRule, type Rule } from './rule.ts';
import type { Recurrence } from './series.ts';

// The words of a recurrence. The client has a copy of this file.

const units = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' };
const weekdays: Record<string, string> = {
  ...{ MO: 'Monday', TU: 'Tuesday', WE: 'Wednesday', TH: 'Thursday', FR: 'Friday', SA: 'Saturday', SU: 'Sunday' },
  'MO,TU,WE,TH,FR': 'weekday',
};
const months = 'January February March April May June July August September October November December'.split(' ');
const ordinals: Record<string, string> = { 1: 'first', 2: 'second', 3: 'third', 4: 'fourth', 5: 'fifth', '-1': 'last' };

const listed = (words: readonly unknown[]) => words.join(', ').replace(/, ([^,]*)$/, ' and $1');
const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;
const dayOfYear = (month: string, day: string) => `${Number(day)} ${months[Number(month) - 1]}`;

/** Formats a day, such as `22nd`. */
const nth = (day: number) => `${day}${(day < 11 || day > 13 ? ['', 'st', 'nd', 'rd'][day % 10] : '') || 'th'}`;

const onThe = (position: string, days: string) =>
  ordinals[position] && weekdays[days] && ` on the ${ordinals[position]} ${weekdays[days]}`;

/** Words after the unit, by canonical rules without interval and end. */
const phrases: [RegExp, (first: string, second: string) => string | undefined][] = [
  [/^FREQ=DAILY$/, () => ''],
  [/^FREQ=WEEKLY;BYDAY=([A-Z,]+)$/, (days) => ` on ${listed(days.split(',').map((day) => weekdays[day]))}`],
  [/^FREQ=MONTHLY;BYMONTHDAY=-1$/, () => ' on the last day'],
  [/^FREQ=MONTHLY;BYMONTHDAY=([\d,]+)$/, (days) => ` on the ${listed(days.split(',').map(Number).map(nth))}`],
  [
    /^FREQ=MONTHLY;BYMONTHDAY=28,(29|29,30|29,30,31);BYSETPOS=-1$/,
    (days) => ` on the ${nth(Number(days.slice(-2)))} or the last day before`,
  ],
  [/^FREQ=MONTHLY;BYDAY=(-?\d+)([A-Z]+)$/, onThe],
  [/^FREQ=MONTHLY;BYDAY=([A-Z,]+);BYSETPOS=(-?\d+)$/, (days, position) => onThe(position, days)],
  [/^FREQ=YEARLY;BYMONTH=(\d+);BYMONTHDAY=(\d+)$/, (month, day) => ` on ${dayOfYear(month, day)}`],
];

/** @returns undefined if only the rule itself can say it */
function daysOf(rule: Rule, start: string): string | undefined {
  const { FREQ, INTERVAL } = rule;
  const whole = lists.some((name) => rule[name].length > 0) ? rule : completed(rule, start);
  const text = printRule({ ...whole, INTERVAL: 1, WKST: 0, COUNT: undefined, UNTIL: undefined });
  if (INTERVAL === 1 && /^FREQ=(DAI|WEEK)LY;BYDAY=MO,TU,WE,TH,FR$/.test(text)) return 'Every weekday';
  const every = `Every ${INTERVAL === 1 ? units[FREQ] : counted(INTERVAL, units[FREQ])}`;
  for (const [pattern, words] of phrases) {
    const [found, first = '', second = ''] = pattern.exec(text) ?? [];
    const days = found && words(first, second);
    if (days !== undefined) return every + days;
  }
  return undefined;
}

/** Describes a recurrence, such as "Every 2 weeks on Monday, 10 times". @throws {RuleError} */
export function summaryOf({ rule: text, basis, start }: Pick<Recurrence, 'rule' | 'basis' | 'start'>): string {
  const rule = parseRule(text);
  const { FREQ, INTERVAL, COUNT, UNTIL } = rule;
  const days = basis === 'COMPLETION' ? `${counted(INTERVAL, units[FREQ])} after completion` : daysOf(rule, start);
  const times = COUNT && `, ${counted(COUNT, 'time')}`;
  const until = UNTIL && `, until ${dayOfYear(UNTIL.slice(4, 6), UNTIL.slice(6, 8))} ${UNTIL.slice(0, 4)}`;
  const each = basis === 'EACH' ? ', each date' : '';
  return days === undefined ? `By the rule ${printRule(rule)}${each}` : [days, times, until, each].join('');
}
