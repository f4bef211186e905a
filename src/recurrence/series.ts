import { Temporal } from 'temporal-polyfill';
import { invalid } from '@taskgate/base';
import { parseDate } from '../platform/dates.ts';
import { zoneNamed } from '../platform/time-zones.ts';
import { dateOf, datesAfter, dayOf, lists, parseRule, plusInterval, type Rule, RuleError } from './rule.ts';
import type { Basis } from './summary.ts';

/** An occurrence of a series. Dates are YYYY-MM-DD; they and times are local to the zone. */
export interface Series {
  rule: Rule;
  basis: Basis;
  timeZone: string;
  start: string;
  date: string;
  /** HH:MM or HH:MM:SS. Null: all day. */
  time: string | null;
  /** Position of `date` among the dates of the series, from 1. */
  number: number;
}

export interface RecurrenceInput {
  rule: string;
  basis: Basis;
  timeZone: string;
  /** Undefined: the due date. */
  start: string | undefined;
}

/** Of a task. */
export interface Due {
  date: string | null;
  time: Date | null;
}

const maxYears = 20;
/** As in UNTIL. */
const compact = (date: string) => date.replaceAll('-', '');
const yearsBefore = (date: string, years: number) =>
  `${Math.max(0, Number(date.slice(0, 4)) - years)}`.padStart(4, '0') + date.slice(4);

/**
 * Returns the moment of a local time, by the offset before a gap. Of a time that occurs twice, the first counts
 * (RFC 5545, 3.3.5).
 */
export const momentOf = (date: string, time: string, timeZone: string): Date =>
  new Date(Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(zoneNamed(timeZone)).epochMilliseconds);

/** @returns a date as YYYY-MM-DD, and a time as HH:MM, or HH:MM:SS if it has seconds */
export function localOf(moment: Date, timeZone: string): { date: string; time: string } {
  const local = Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(zoneNamed(timeZone));
  const time = local.toPlainTime().toString({ smallestUnit: local.second === 0 ? 'minute' : 'second' });
  return { date: local.toPlainDate().toString(), time };
}

/** The next dates of a series, in order, each with its number. */
export function* occurrencesAfter({ rule, basis, start, date, number }: Series) {
  const dates = basis === 'COMPLETION' ? intervalsAfter(rule, date) : datesAfter(rule, start, date);
  for (const next of dates) {
    if (rule.COUNT !== undefined && number >= rule.COUNT) return;
    number += 1;
    yield { number, date: next };
  }
}

/** As if each occurrence is completed on its date. */
function* intervalsAfter(rule: Rule, date: string): Generator<string, void> {
  for (let next = plusInterval(rule, date); next !== undefined; next = plusInterval(rule, next)) {
    if (rule.UNTIL !== undefined && compact(next) > rule.UNTIL) return;
    yield next;
  }
}

/**
 * Checks a recurrence.
 * @param path of `input`
 * @param today in the zone. Without a due date and time, the series begins on the first day from today that fits
 * @throws VALIDATION_FAILED
 */
export function seriesOf(path: string, input: RecurrenceInput, due: Due, today: string): Series {
  const { basis, timeZone } = input;
  const refuse = (name: string, message: string) => invalid(`${path}.${name}`, message);
  const parsed = checked(input, (message) => refuse('rule', message));
  const local = due.time && localOf(due.time, timeZone);
  if (local && local.date !== (due.date ?? local.date)) {
    throw refuse('timeZone', `must be a zone in which the due time is on ${due.date}`);
  }
  if (local && !parseDate(local.date))
    throw refuse('timeZone', 'must be a zone in which the due time is in the years 1 to 9999');
  const time = local && local.time;
  const rule = { ...parsed, UNTIL: lastDay(parsed.UNTIL, timeZone, time ?? '00:00') };
  const date = due.date ?? local?.date ?? firstDate(rule, input, today);
  if (date === undefined) throw refuse('rule', `must have a date in the next ${maxYears} years`);
  const { start = date } = input;
  if (start > date) throw refuse('start', `must not be after the due date, ${date}`);
  if (start < yearsBefore(date, maxYears)) throw refuse('start', `must be at most ${maxYears} years before ${date}`);
  if (rule.UNTIL !== undefined && rule.UNTIL < compact(start)) {
    throw refuse('rule', `must not have an UNTIL before ${start}`);
  }
  const first = { rule, basis, timeZone, start, date: start, time, number: 1 };
  if (rule.COUNT !== 1 && !occurrencesAfter(first).next().value) {
    throw refuse('rule', `must have a date in the ${maxYears} years after ${start}`);
  }
  const number = positionOf(date, first);
  if (rule.COUNT !== undefined && number > rule.COUNT) throw refuse('rule', `must have a COUNT of at least ${number}`);
  return { ...first, date, number };
}

function checked({ rule, basis }: RecurrenceInput, refuse: (message: string) => Error): Rule {
  try {
    const parsed = parseRule(rule);
    const [other] = lists.filter((name) => parsed[name].length > 0);
    const part = other ?? (parsed.WKST === 0 ? undefined : 'WKST');
    if (basis === 'COMPLETION' && part) throw new RuleError(`must not have ${part} with the basis COMPLETION`);
    return parsed;
  } catch (error) {
    throw error instanceof RuleError ? refuse(error.message) : error;
  }
}

/** The last day of an UNTIL, as YYYYMMDD. An UNTIL with a time includes the occurrences that are not after it. */
function lastDay(until: string | undefined, timeZone: string, time: string): string | undefined {
  const [, day, clock, isUtc] = /^(\d{8})(?:T(\d{6})(Z)?)?$/.exec(until ?? '') ?? [];
  if (day === undefined || clock === undefined) return day;
  const end = Temporal.PlainDateTime.from(`${day}T${clock}`);
  const local = isUtc ? end.toZonedDateTime('UTC').withTimeZone(zoneNamed(timeZone)).toPlainDateTime() : end;
  const isIncluded = Temporal.PlainTime.compare(local.toPlainTime(), time) >= 0;
  const last = local.toPlainDate().subtract({ days: isIncluded ? 0 : 1 });
  return last.year > 9999 ? '99991231' : compact(last.toString());
}

/** The first day that fits, from today or a later start. Without a start, every interval fits. */
function firstDate(rule: Rule, { basis, start }: RecurrenceInput, today: string): string | undefined {
  const from = start !== undefined && start > today ? start : today;
  if (basis === 'COMPLETION') return from;
  const dayBefore = dateOf(dayOf(from) - 1);
  const counted = start === undefined ? { ...rule, INTERVAL: 1 } : rule;
  return datesAfter(counted, start ?? today, dayBefore).next().value ?? undefined;
}

function positionOf(date: string, first: Series): number {
  let { number } = first;
  if (date === first.date) return number;
  for (const each of occurrencesAfter({ ...first, rule: { ...first.rule, COUNT: undefined, UNTIL: undefined } })) {
    number = each.number;
    if (each.date >= date) return number;
  }
  return number + 1;
}
