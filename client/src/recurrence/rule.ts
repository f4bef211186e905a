// Copied by `npm run schema`, from src/recurrence/rule.ts.

// Rules of RFC 5545 that repeat by days, and their dates. The client has a copy of this file, so it imports nothing.

export const lists = ['BYMONTH', 'BYWEEKNO', 'BYYEARDAY', 'BYMONTHDAY', 'BYDAY', 'BYSETPOS'] as const;
type List = (typeof lists)[number];

const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
export type Frequency = (typeof frequencies)[number];

/** Has the names of RFC 5545, 3.3.10. Lists are sorted. BYDAY has 7 times the number (0: each) plus the weekday. */
export type Rule = Readonly<Record<List, readonly number[]>> & {
  readonly FREQ: Frequency;
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
  if (text.length > 500) throw new RuleError('must be at most 500 characters long');
  const parts = new Map<string, string>();
  for (const part of text.replace(/^RRULE:/i, '').split(';')) {
    const [name = '', value = ''] =
      /^([A-Z-]+)=([!-~]+)$/i
        .exec(part)
        ?.slice(1)
        .map((each) => each.toUpperCase()) ?? [];
    if (!name) throw new RuleError('must be parts like FREQ=DAILY, with ; between them');
    if (parts.has(name)) throw new RuleError(`must have ${name} only once`);
    parts.set(name, value);
  }
  const take = <Value>(name: string, read: (name: string, value: string) => Value) => {
    const value = parts.get(name);
    parts.delete(name);
    return value === undefined ? undefined : read(name, value);
  };
  const list = (name: List): number[] => {
    const read = name === 'BYDAY' ? dayOfRule : wholeNumber;
    const numbers = take(name, (_name, value) => value.split(',').map((each) => read(name, each)));
    return [...new Set(numbers)].sort((a, b) => a - b);
  };
  const rule = {
    FREQ: take('FREQ', (_name, value) => frequencies.find((each) => each === value)),
    INTERVAL: take('INTERVAL', wholeNumber) ?? 1,
    BYMONTH: list('BYMONTH'),
    BYWEEKNO: list('BYWEEKNO'),
    BYYEARDAY: list('BYYEARDAY'),
    BYMONTHDAY: list('BYMONTHDAY'),
    BYDAY: list('BYDAY'),
    BYSETPOS: list('BYSETPOS'),
    WKST: take('WKST', weekday) ?? 0,
    COUNT: take('COUNT', wholeNumber),
    UNTIL: take('UNTIL', until),
  };
  const { FREQ } = rule;
  if (!FREQ) throw new RuleError(`must have FREQ=${frequencies.join(', ')}`);
  for (const name of parts.keys()) throw new RuleError(`must not have ${name.slice(0, 20)}`);
  requireAllowed({ ...rule, FREQ });
  return { ...rule, FREQ };
}

function wholeNumber(name: string, text: string): number {
  const max = largest[name] ?? 0;
  const value = (unsigned.includes(name) ? /^[0-9]+$/ : /^[+-]?[0-9]+$/).test(text) ? Number(text) : 0;
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
  const [, year, month, day] =
    /^([0-9]{4})([0-9]{2})([0-9]{2})(T([01][0-9]|2[0-3])([0-5][0-9]){2}Z?)?$/.exec(text) ?? [];
  const date = `${year}-${month}-${day}`;
  if (!isDate(date)) throw new RuleError(`must have a day such as 20301224 in ${name}`);
  return text;
}

function requireAllowed({ FREQ, BYDAY, COUNT, UNTIL, ...rule }: Rule): void {
  const has = (name: Exclude<List, 'BYDAY'>) => rule[name].length > 0;
  const others = [rule.BYMONTH, rule.BYWEEKNO, rule.BYYEARDAY, rule.BYMONTHDAY, BYDAY];
  const isShort = FREQ === 'DAILY' || FREQ === 'WEEKLY';
  const refusals: [string, boolean][] = [
    ['BYWEEKNO unless FREQ is YEARLY', has('BYWEEKNO') && FREQ !== 'YEARLY'],
    ['BYYEARDAY unless FREQ is YEARLY', has('BYYEARDAY') && FREQ !== 'YEARLY'],
    ['BYMONTHDAY if FREQ is WEEKLY', has('BYMONTHDAY') && FREQ === 'WEEKLY'],
    ['numbers in BYDAY unless FREQ is MONTHLY or YEARLY', isShort && BYDAY.some(hasNumber)],
    ['numbers in BYDAY together with BYWEEKNO', has('BYWEEKNO') && BYDAY.some(hasNumber)],
    ['BYSETPOS without another BY part', has('BYSETPOS') && others.every(({ length }) => length === 0)],
    ['COUNT together with UNTIL', COUNT !== undefined && UNTIL !== undefined],
  ];
  for (const [what, isRefused] of refusals) if (isRefused) throw new RuleError(`must not have ${what}`);
}

const mod7 = (value: number) => ((value % 7) + 7) % 7;
const hasNumber = (each: number) => each < 0 || each > 6;
/** Of an entry of BYDAY. */
export const numberOf = (each: number) => Math.floor(each / 7);
export const weekdayOf = mod7;

/** The canonical text. */
export function printRule({ FREQ, INTERVAL, WKST, COUNT, UNTIL, ...rule }: Rule): string {
  const day = (each: number) => `${numberOf(each) || ''}${weekdays[weekdayOf(each)]}`;
  const parts = [
    ['FREQ', FREQ],
    ['INTERVAL', INTERVAL === 1 ? '' : INTERVAL],
    ...lists.map((name) => [name, (name === 'BYDAY' ? rule.BYDAY.map(day) : rule[name]).join()]),
    ['WKST', WKST === 0 ? '' : weekdays[WKST]],
    ['COUNT', COUNT ?? ''],
    ['UNTIL', UNTIL ?? ''],
  ];
  return parts
    .filter(([, value]) => value !== '')
    .map((part) => part.join('='))
    .join(';');
}

const dayMs = 86_400_000;

/** @param date YYYY-MM-DD @returns days since 1970 */
export const dayOf = (date: string): number => Date.parse(date) / dayMs;
export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);
const isDate = (date: string) => !Number.isNaN(Date.parse(date)) && dateOf(dayOf(date)) === date;

/** Months count from 0, and beyond the year. */
const firstDay = (year: number, month = 0) => new Date(0).setUTCFullYear(year, month, 1) / dayMs;
const yearOf = (day: number) => new Date(day * dayMs).getUTCFullYear();
const weekdayOfDay = (day: number) => mod7(day + 3);
const weekOf = (day: number, wkst: number) => day - mod7(day + 3 - wkst);
/** The first week with at least four days in the year. */
const firstWeek = (year: number, wkst: number) => weekOf(firstDay(year) + 3, wkst);

/** The year with most days of the week. */
const weekYearOf = (day: number, wkst: number) => yearOf(weekOf(day, wkst) + 3);

const lastDay = dayOf('9999-12-31');

/** Adds calendar years. */
const yearsAfter = (day: number, years: number) => {
  const date = new Date(day * dayMs);
  return date.setUTCFullYear(date.getUTCFullYear() + years) / dayMs;
};

interface Period {
  /** Serial number of the period with the day. */
  of: (day: number) => number;
  first: (period: number) => number;
}

/** The periods of FREQ. Weeks of a year may have days of the years beside it. */
function periodsOf({ FREQ, WKST, BYWEEKNO }: Rule): Period {
  if (FREQ === 'DAILY') return { of: (day) => day, first: (day) => day };
  if (FREQ === 'WEEKLY') {
    const origin = weekOf(0, WKST);
    return { of: (day) => (weekOf(day, WKST) - origin) / 7, first: (week) => origin + week * 7 };
  }
  if (FREQ === 'MONTHLY') {
    const of = (day: number) => yearOf(day) * 12 + new Date(day * dayMs).getUTCMonth();
    return { of, first: (month) => firstDay(0, month) };
  }
  if (BYWEEKNO.length === 0) return { of: yearOf, first: firstDay };
  return { of: (day) => weekYearOf(day, WKST), first: (year) => firstWeek(year, WKST) };
}

/** Parts that the rule omits, and that follow from the first day. */
function completed(rule: Rule, start: number): Rule {
  const { FREQ, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYDAY } = rule;
  if (FREQ === 'DAILY' || [BYYEARDAY, BYMONTHDAY, BYDAY].some(({ length }) => length > 0)) return rule;
  if (FREQ === 'WEEKLY' || BYWEEKNO.length > 0) return { ...rule, BYDAY: [weekdayOfDay(start)] };
  const date = new Date(start * dayMs);
  const isYearly = FREQ === 'YEARLY' && BYMONTH.length === 0;
  return { ...rule, BYMONTHDAY: [date.getUTCDate()], ...(isYearly && { BYMONTH: [date.getUTCMonth() + 1] }) };
}

interface Place {
  /** From 1. */
  position: number;
  size: number;
}

const placeIn = (day: number, first: number, end: number): Place => ({ position: day - first + 1, size: end - first });

/** Whether a list has the position, from the start or from the end. */
const isListed = (list: readonly number[], { position, size }: Place) =>
  list.includes(position) || list.includes(position - size - 1);

function fits({ FREQ, WKST, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYDAY }: Rule, day: number): boolean {
  const date = new Date(day * dayMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const inMonth = () => placeIn(day, firstDay(year, month), firstDay(year, month + 1));
  const inYear = () => placeIn(day, firstDay(year), firstDay(year + 1));
  if (BYMONTH.length > 0 && !BYMONTH.includes(month + 1)) return false;
  if (BYMONTHDAY.length > 0 && !isListed(BYMONTHDAY, inMonth())) return false;
  if (BYYEARDAY.length > 0 && !isListed(BYYEARDAY, inYear())) return false;
  if (BYWEEKNO.length > 0) {
    const weekYear = weekYearOf(day, WKST);
    const { position, size } = placeIn(day, firstWeek(weekYear, WKST), firstWeek(weekYear + 1, WKST));
    if (!isListed(BYWEEKNO, { position: Math.ceil(position / 7), size: size / 7 })) return false;
  }
  if (BYDAY.length === 0) return true;
  const { position, size } = FREQ === 'MONTHLY' || BYMONTH.length > 0 ? inMonth() : inYear();
  const numbers = [0, Math.ceil(position / 7), -Math.ceil((size - position + 1) / 7)];
  return BYDAY.some((each) => weekdayOf(each) === weekdayOfDay(day) && numbers.includes(numberOf(each)));
}

/**
 * The dates of a rule after a day, in order, without COUNT. Ends if no date follows within 20 years.
 * @param start first date of the series: periods are counted from it, and it completes the rule
 */
export function* datesAfter(rule: Rule, start: string, after: string): Generator<string, void> {
  const origin = dayOf(start);
  const own = completed(rule, origin);
  const { of, first } = periodsOf(own);
  const { INTERVAL, BYSETPOS, UNTIL } = own;
  const end = UNTIL === undefined ? lastDay : dayOf(`${UNTIL.slice(0, 4)}-${UNTIL.slice(4, 6)}-${UNTIL.slice(6, 8)}`);
  let previous = dayOf(after);
  const base = of(origin);
  let period = base + Math.floor((of(previous) - base) / INTERVAL) * INTERVAL;
  for (; first(period) <= Math.min(end, yearsAfter(previous, 20)); period += INTERVAL) {
    const days = [];
    for (let day = first(period); day < first(period + 1); day += 1) if (fits(own, day)) days.push(day);
    for (const [index, day] of days.entries()) {
      if (day <= previous || (BYSETPOS.length > 0 && !isListed(BYSETPOS, { position: index + 1, size: days.length })))
        continue;
      if (day > Math.min(end, yearsAfter(previous, 20))) return;
      yield dateOf(day);
      previous = day;
    }
  }
}

/** The day plus the interval of the rule. In a month that is too short: its last day. Undefined after 9999. */
export function plusInterval({ FREQ, INTERVAL }: Rule, date: string): string | undefined {
  const at = new Date(date);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  const months = INTERVAL * { DAILY: 0, WEEKLY: 0, MONTHLY: 1, YEARLY: 12 }[FREQ];
  const days = INTERVAL * { DAILY: 1, WEEKLY: 7, MONTHLY: 0, YEARLY: 0 }[FREQ];
  const next = Math.min(firstDay(year, month + months) + day, firstDay(year, month + months + 1)) - 1 + days;
  return next > lastDay ? undefined : dateOf(next);
}
