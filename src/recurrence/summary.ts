import { dayOf, lists, numberOf, parseRule, printRule, type Rule, weekdayOf } from './rule.ts';
import type { Recurrence } from './series.ts';

// The words of a recurrence. The client has a copy of this file.

const units = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' };
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const months = 'January February March April May June July August September October November December'.split(' ');
const ordinals: Record<number, string> = { 1: 'first', 2: 'second', 3: 'third', 4: 'fourth', 5: 'fifth', [-1]: 'last' };
const mondayToFriday = '0,1,2,3,4';

const listed = (words: readonly unknown[]) => words.join(', ').replace(/, ([^,]*)$/, ' and $1');
const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** Such as `22nd`. */
const nth = (day: number) => `${day}${(day < 11 || day > 13 ? ['', 'st', 'nd', 'rd'][day % 10] : '') || 'th'}`;

/** @returns undefined if only the rule itself can say it */
function daysOf(rule: Rule, start: string): string | undefined {
  const { FREQ, INTERVAL, BYMONTH, BYMONTHDAY, BYDAY, BYSETPOS } = rule;
  const every = `Every ${INTERVAL === 1 ? units[FREQ] : counted(INTERVAL, units[FREQ])}`;
  const used = lists.filter((name) => rule[name].length > 0).join();
  const [dayOfMonth, month] = [Number(start.slice(8)), Number(start.slice(5, 7))];
  const [entry = 0, position = 0] = [BYDAY[0], BYSETPOS[0]];
  const dayName = (each: number) => weekdays[weekdayOf(each)];
  if (FREQ === 'WEEKLY' || FREQ === 'DAILY') {
    if (INTERVAL === 1 && used === 'BYDAY' && BYDAY.join() === mondayToFriday) return 'Every weekday';
    if (FREQ === 'DAILY') return used === '' ? every : undefined;
    if (used === '') return `${every} on ${dayName(dayOf(start) + 3)}`;
    return used === 'BYDAY' ? `${every} on ${listed(BYDAY.map(dayName))}` : undefined;
  }
  if (FREQ === 'YEARLY') {
    const [onMonth = month, onDay = dayOfMonth] = [BYMONTH[0], BYMONTHDAY[0]];
    const isOneDay = used === '' || (used === 'BYMONTH,BYMONTHDAY' && BYMONTH.length + BYMONTHDAY.length === 2);
    return isOneDay && onDay > 0 ? `${every} on ${onDay} ${months[onMonth - 1]}` : undefined;
  }
  if (used === '') return `${every} on the ${nth(dayOfMonth)}`;
  if (used === 'BYMONTHDAY') {
    if (BYMONTHDAY.join() === '-1') return `${every} on the last day`;
    return BYMONTHDAY.every((day) => day > 0) ? `${every} on the ${listed(BYMONTHDAY.map(nth))}` : undefined;
  }
  if (used === 'BYMONTHDAY,BYSETPOS') {
    const last = BYMONTHDAY.at(-1) ?? 0;
    const isLastDayBefore = BYMONTHDAY.length > 1 && BYMONTHDAY.join() === [28, 29, 30, 31].slice(0, last - 27).join();
    return isLastDayBefore && BYSETPOS.join() === '-1'
      ? `${every} on the ${nth(last)} or the last day before`
      : undefined;
  }
  const isBySetPos = used === 'BYDAY,BYSETPOS' && BYSETPOS.length === 1;
  if (isBySetPos && BYDAY.join() === mondayToFriday) {
    return ordinals[position] && `${every} on the ${ordinals[position]} weekday`;
  }
  if (BYDAY.length !== 1 || !(isBySetPos ? numberOf(entry) === 0 : used === 'BYDAY')) return undefined;
  const ordinal = ordinals[isBySetPos ? position : numberOf(entry)];
  return ordinal && `${every} on the ${ordinal} ${dayName(entry)}`;
}

/** Such as "Every 2 weeks on Monday, 10 times". @throws {RuleError} */
export function summaryOf({ rule: text, basis, start }: Pick<Recurrence, 'rule' | 'basis' | 'start'>): string {
  const rule = parseRule(text);
  const { FREQ, INTERVAL, COUNT, UNTIL } = rule;
  const days = basis === 'COMPLETION' ? `${counted(INTERVAL, units[FREQ])} after completion` : daysOf(rule, start);
  const [year, month, day] = [UNTIL?.slice(0, 4), Number(UNTIL?.slice(4, 6)), Number(UNTIL?.slice(6, 8))];
  return [
    days ?? `By the rule ${printRule(rule)}`,
    days !== undefined && COUNT !== undefined && `, ${counted(COUNT, 'time')}`,
    days !== undefined && UNTIL !== undefined && `, until ${day} ${months[month - 1]} ${year}`,
    basis === 'EACH' && ', each date',
  ]
    .filter(Boolean)
    .join('');
}
