// Rules of RFC 5545 that repeat by days, and their dates. The client has a copy of this file, so it imports nothing.

export const lists = ['BYMONTH', 'BYWEEKNO', 'BYYEARDAY', 'BYMONTHDAY', 'BYDAY', 'BYSETPOS'] as const;
type List = (typeof lists)[number];

const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;

/** Has the names of RFC 5545, 3.3.10. Lists are sorted. BYDAY has 7 times the number (0: each) plus the weekday. */
export type Rule = Readonly<Record<List, readonly number[]>> & {
  readonly FREQ: (typeof frequencies)[number];
  readonly INTERVAL: number;
  /** A weekday: Monday is 0. */
  readonly WKST: number;
  readonly COUNT?: number | undefined;
  /** YYYYMMDD, or with a time as it was entered: THHMMSS or THHMMSSZ follows. */
  readonly UNTIL?: string | undefined;
};

/** Names the part of a rule that is wrong. The message completes a sentence that begins with the field. */
export class RuleError extends Error {
  readonly field: string;

  constructor(message: string, field = 'rule') {
    super(message);
    this.field = field;
  }
}

const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const largest: Record<string, number> = {
  INTERVAL: 1000,
  COUNT: 10_000,
  BYMONTH: 12,
  BYWEEKNO: 53,
  BYYEARDAY: 366,
  BYMONTHDAY: 31,
  BYDAY: 53,
  BYSETPOS: 366,
};
const unsigned = ['INTERVAL', 'COUNT', 'BYMONTH'];

/** @throws {RuleError} */
export function parseRule(text: string): Rule {
  if (text.length > 500) throw new RuleError('must have at most 500 characters');
  const parts = new Map<string, string>();
  for (const part of text.replace(/^RRULE:/i, '').split(';')) {
    const [name = '', value = ''] = /^[A-Z-]+=[!-<>-~]+$/i.test(part) ? part.toUpperCase().split('=') : [];
    if (!name) throw new RuleError('must have parts like FREQ=DAILY with ; between');
    if (parts.has(name)) throw new RuleError(`must have ${name} only once`);
    parts.set(name, value);
  }
  const FREQ = frequencies.find((each) => each === parts.get('FREQ'));
  if (!FREQ) throw new RuleError(`must have FREQ=${frequencies.join(', ')}`);
  const read = <Value>(name: string, reader: (name: string, value: string) => Value) => {
    const value = parts.get(name);
    return value === undefined ? undefined : reader(name, value);
  };
  const rule: Rule = {
    ...(Object.fromEntries(lists.map((name) => [name, read(name, numbers) ?? []])) as Record<List, number[]>),
    FREQ,
    INTERVAL: read('INTERVAL', wholeNumber) ?? 1,
    WKST: read('WKST', weekday) ?? 0,
    COUNT: read('COUNT', wholeNumber),
    UNTIL: read('UNTIL', until),
  };
  for (const name of parts.keys()) if (!(name in rule)) throw new RuleError(`must not have ${name}`);
  requireAllowed(rule);
  return rule;
}

function numbers(name: string, text: string): number[] {
  const read = name === 'BYDAY' ? dayOfRule : wholeNumber;
  return [...new Set(text.split(',').map((each) => read(name, each)))].sort((a, b) => a - b);
}

function wholeNumber(name: string, text: string): number {
  const max = largest[name] ?? 0;
  const value = (unsigned.includes(name) ? /^\d+$/ : /^[+-]?\d+$/).test(text) ? Number(text) : 0;
  if (value === 0 || Math.abs(value) > max) throw new RuleError(`must have whole numbers from 1 to ${max} in ${name}`);
  return value;
}

function weekday(name: string, text: string): number {
  const index = weekdays.indexOf(text);
  if (index < 0) throw new RuleError(`must have ${weekdays.join(', ')} in ${name}`);
  return index;
}

function dayOfRule(name: string, text: string): number {
  const number = text.slice(0, -2);
  return (number === '' ? 0 : wholeNumber(name, number)) * 7 + weekday(name, text.slice(-2));
}

function until(name: string, text: string): string {
  if (!/^\d{8}(T([01]\d|2[0-3])([0-5]\d){2}Z?)?$/.test(text) || !isDate(dashed(text)))
    throw new RuleError(`must have a day like 20301224 in ${name}`);
  return text;
}

/** @returns the day of an UNTIL, as YYYY-MM-DD */
export const dashed = (until: string) => until.replace(/(....)(..)(..).*/, '$1-$2-$3');

function requireAllowed(rule: Rule): void {
  const { FREQ, BYDAY, COUNT, UNTIL } = rule;
  const has = (name: List) => rule[name].length > 0;
  const isYearly = FREQ === 'YEARLY';
  const hasNumbers = BYDAY.some((each) => weeksIn(each) !== 0);
  const refusals: [string, boolean][] = [
    ['BYWEEKNO unless FREQ is YEARLY', has('BYWEEKNO') && !isYearly],
    ['BYYEARDAY unless FREQ is YEARLY', has('BYYEARDAY') && !isYearly],
    ['BYMONTHDAY if FREQ is WEEKLY', has('BYMONTHDAY') && FREQ === 'WEEKLY'],
    ['numbers in BYDAY unless FREQ is MONTHLY or YEARLY', hasNumbers && !isYearly && FREQ !== 'MONTHLY'],
    ['numbers in BYDAY with BYWEEKNO', hasNumbers && has('BYWEEKNO')],
    ['BYSETPOS without another BY part', lists.filter(has).join() === 'BYSETPOS'],
    ['COUNT with UNTIL', COUNT !== undefined && UNTIL !== undefined],
  ];
  for (const [what, isRefused] of refusals) if (isRefused) throw new RuleError(`must not have ${what}`);
}

const weeksIn = (days: number) => Math.floor(days / 7);
const mod7 = (days: number) => days - weeksIn(days) * 7;

/** The canonical text. */
export function printRule({ FREQ, INTERVAL, WKST, COUNT, UNTIL, ...rule }: Rule): string {
  const day = (each: number) => `${weeksIn(each) || ''}${weekdays[mod7(each)]}`;
  const parts = [
    ['FREQ', FREQ],
    ['INTERVAL', INTERVAL > 1 && INTERVAL],
    ...lists.map((name) => [name, (name === 'BYDAY' ? rule.BYDAY.map(day) : rule[name]).join()]),
    ['WKST', WKST > 0 && weekdays[WKST]],
    ['COUNT', COUNT],
    ['UNTIL', UNTIL],
  ];
  return parts
    .filter(([, value]) => value)
    .map((part) => part.join('='))
    .join(';');
}

const dayMs = 86_400_000;

/** @param date YYYY-MM-DD @returns days since 1970, as an integer, which is faster; 0 if it is no date */
export const dayOf = (date: string): number => (Date.parse(date) / dayMs) | 0;
export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, -14);
const isDate = (date: string) => dateOf(dayOf(date)) === date;

/** Months count from 0, and beyond the year. */
const firstDay = (year: number, month = 0) => (new Date(0).setUTCFullYear(year, month, 1) / dayMs) | 0;
const endOf = ({ UNTIL }: Rule) => dayOf(UNTIL === undefined ? '9999-12-31' : dashed(UNTIL));

const in20Years = (day: number) => {
  const date = new Date(day * dayMs);
  return date.setUTCFullYear(date.getUTCFullYear() + 20) / dayMs;
};

/** Parts that the rule omits, and that follow from the first day. */
export function completed(rule: Rule, start: string): Rule {
  const { FREQ, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYDAY } = rule;
  if (FREQ === 'DAILY' || [BYYEARDAY, BYMONTHDAY, BYDAY].some(({ length }) => length > 0)) return rule;
  if (FREQ === 'WEEKLY' || BYWEEKNO.length > 0) return { ...rule, BYDAY: [mod7(dayOf(start) + 3)] };
  const isYearly = FREQ === 'YEARLY' && BYMONTH.length === 0;
  return { ...rule, BYMONTHDAY: [Number(start.slice(8))], ...(isYearly && { BYMONTH: [Number(start.slice(5, 7))] }) };
}

/** Whether a list has the position, which counts from 1, from the start or from the end. An empty list has each one. */
const isListed = (list: readonly number[], position: number, size = NaN) =>
  list.length === 0 || list.includes(position) || list.includes(position - size - 1);

/** First day of a year. Rules of weeks have years of whole weeks. The first one has at least four days in the year. */
function startOf({ FREQ, WKST, BYWEEKNO }: Rule, year: number): number {
  const day = firstDay(year);
  return FREQ === 'WEEKLY' || BYWEEKNO.length > 0 ? day + 3 - mod7(day + 6 - WKST) : day;
}

/** Serial number of the period that has the day. @param month from 0, and beyond the year */
const periodOf = ({ FREQ, WKST }: Rule, year: number, month: number, day: number) =>
  ({ DAILY: day, WEEKLY: weeksIn(day + 3 - WKST), MONTHLY: year * 12 + month, YEARLY: year })[FREQ];

/** A day and its period, as distances from the first ones of the year. */
type Fitting = readonly [day: number, period: number];

/** The days of a year that fit the rule. @param from distance of a period from the first one; earlier ones are left out */
function* daysOf(rule: Rule, year: number, from = 0): Generator<Fitting, void> {
  const { FREQ, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYDAY, BYSETPOS } = rule;
  const [start, end] = [startOf(rule, year), startOf(rule, year + 1)];
  const base = periodOf(rule, year, 0, start);
  let set: Fitting[] = [];
  const chosen = () => set.filter((_day, index) => isListed(BYSETPOS, index + 1, set.length));
  // The first and the last week may have days of the years beside theirs.
  for (let month = -1; month <= 12; month += 1) {
    if (!isListed(BYMONTH, ((month + 12) % 12) + 1)) continue;
    const [first, next] = [firstDay(year, month), firstDay(year, month + 1)];
    const calendarYear = year + Math.floor(month / 12);
    const [newYear, nextYear] = [firstDay(calendarYear), firstDay(calendarYear + 1)];
    const [low, high] = FREQ === 'MONTHLY' || BYMONTH.length > 0 ? [first, next] : [newYear, nextYear];
    for (let day = Math.max(first, start); day < Math.min(next, end); day += 1) {
      const period = periodOf(rule, year, month, day) - base;
      if (period < from) continue;
      const weekday = mod7(day + 3);
      if (
        isListed(BYMONTHDAY, day - first + 1, next - first) &&
        isListed(BYYEARDAY, day - newYear + 1, nextYear - newYear) &&
        isListed(BYWEEKNO, weeksIn(day - start) + 1, weeksIn(end - start)) &&
        [0, weeksIn(day - low) + 1, weeksIn(day - high)].some((each) => isListed(BYDAY, each * 7 + weekday))
      ) {
        if (set[0]?.[1] !== period) {
          yield* chosen();
          set = [];
        }
        set.push([day - start, period]);
      }
    }
  }
  yield* chosen();
}

export interface Numbered {
  /** Position among the dates of a series, from 1. */
  number: number;
  date: string;
}

/**
 * The dates of a rule after one of them, in order, without COUNT. Ends if no date follows within 20 years.
 * @param start first date of the series: periods are counted from it, and it completes the rule
 * @param from earlier dates are only counted
 */
export function* datesAfter(
  rule: Rule,
  start: string,
  { number, date }: Numbered,
  from = date,
): Generator<Numbered, void> {
  const listed = dayOf(from);
  const own = completed(rule, start);
  const end = endOf(own);
  const placeOf = (text: string) => {
    const [day, month] = [dayOf(text), Number(text.slice(5, 7)) - 1];
    let year = Number(text.slice(0, 4)) + 1;
    while (startOf(own, year) > day) year -= 1;
    return [year, periodOf(own, year, month, day)] as const;
  };
  const [, origin] = placeOf(start);
  const [firstYear, firstPeriod] = placeOf(date);
  // Years have the same days if they, and the years around them, begin on the same weekdays.
  const known: Record<string, Fitting[]> = {};
  let previous = dayOf(date);
  for (let year = firstYear; ; year += 1) {
    const first = startOf(own, year);
    if (first > Math.min(end, previous + 7305)) return;
    const base = periodOf(own, year, 0, first);
    const turn = (base - origin) % own.INTERVAL;
    const counts = ([, period]: Fitting) => (turn + period) % own.INTERVAL === 0;
    let days: Iterable<Fitting> = daysOf(own, year, firstPeriod - base);
    // Most dates are near. They do not need the whole year.
    if (year > firstYear + 1) {
      const shape = [-1, 0, 1, 2].map((each) => mod7(firstDay(year + each))).join();
      const fitting = (known[shape] ??= [...daysOf(own, year)]);
      const counted = (known[`${shape} ${turn}`] ??= fitting.filter(counts));
      const last = first + (counted.at(-1)?.[0] ?? NaN);
      if (last < Math.min(listed, end, previous + 7300)) {
        number += counted.length;
        previous = last;
        continue;
      }
      days = counted;
    }
    for (const fitting of days) {
      const day = first + fitting[0];
      if (day <= previous || !counts(fitting)) continue;
      if (day > end || (day > previous + 7300 && day > in20Years(previous))) return;
      previous = day;
      number += 1;
      if (day >= listed) yield { number, date: dateOf(day) };
    }
  }
}

/**
 * The day plus the interval of the rule. In a month that is too short: its last day. Undefined after the last day of the
 * rule, or after 20 years.
 */
export function plusInterval(rule: Rule, date: string): string | undefined {
  const { FREQ, INTERVAL } = rule;
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const [months, days] = ({ DAILY: [0, 1], WEEKLY: [0, 7], MONTHLY: [1, 0], YEARLY: [12, 0] } as const)[FREQ];
  const later = month + months * INTERVAL;
  const next = Math.min(firstDay(year, later - 1) + day, firstDay(year, later)) - 1 + days * INTERVAL;
  return next > Math.min(endOf(rule), in20Years(dayOf(date))) ? undefined : dateOf(next);
}
