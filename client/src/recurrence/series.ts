// Copied by `npm run schema`, from packages/recurrence/series.ts.

// Series of occurrences. The client has a copy of this file, and a `zone.ts` of its own.
import {
  dashed,
  dateOf,
  datesAfter,
  dayOf,
  type Numbered,
  parseRule,
  plusInterval,
  printRule,
  type Rule,
  RuleError,
} from './rule.ts';
import { localOf, momentOf } from './zone.ts';

export type Basis = 'SCHEDULE' | 'COMPLETION' | 'EACH';

/** An occurrence of a series. Dates are YYYY-MM-DD; they and times are local to the zone. */
export type Recurrence = {
  /** Canonical. */
  rule: string;
  basis: Basis;
  timeZone: string;
  start: string;
  date: string;
  /** HH:MM or HH:MM:SS. Null: all day. */
  time: string | null;
  /** Position of `date` among the dates of the series, from 1. */
  number: number;
  /** Null: no task has it yet. */
  seriesId: string | null;
};

/** An absent basis or zone keeps its value. An absent start is the due date. */
export interface RecurrenceInput {
  rule: string;
  basis?: Basis | null | undefined;
  timeZone?: string | null | undefined;
  start?: string | null | undefined;
}

/** Due date and time of a task. */
export interface Due {
  date: string | null;
  /** Null: all day. */
  time: Date | null;
}

const maxYears = 20;
const [firstDate, lastDate] = ['0001-01-01', '9999-12-31'];
const firstMoment = new Date(`${firstDate}T00:00:00Z`);
const lastMoment = new Date(`${lastDate}T23:59:59.999Z`);
const isInYears = (moment: Date) => moment >= firstMoment && moment <= lastMoment;
/** Formats a date as in UNTIL. */
const compact = (date: string) => date.replaceAll('-', '');
const later = (date: string, other: string) => (date > other ? date : other);

/** Whether a date is more than some years after another. */
export const isYearsAfter = (date: string, other: string, years: number): boolean =>
  Number(compact(date)) > Number(compact(other)) + years * 10_000;

/** The id of a task's first series. */
export const seriesIdOf = (taskId: string): string => taskId.replace('task', 'seri');

/** When an occurrence is due, unless somebody moves it. */
export const dueOf = ({ date, time, timeZone }: Pick<Recurrence, 'date' | 'time' | 'timeZone'>) => ({
  date,
  time: time === null ? null : momentOf(date, time, timeZone),
});

/** The next occurrences of a series, in order. @param from earlier dates by the schedule are left out */
export function* occurrencesAfter<Shown extends Recurrence>(recurrence: Shown, from?: string): Generator<Shown, void> {
  for (const each of numberedAfter(parseRule(recurrence.rule), recurrence, from)) {
    const next = { ...recurrence, ...each };
    // Its last moments may be in another year.
    if (next.date === lastDate && !isInYears(dueOf(next).time ?? lastMoment)) return;
    yield next;
  }
}

function* numberedAfter(rule: Rule, current: Recurrence, from?: string): Generator<Numbered, void> {
  const { basis, start } = current;
  const dates = basis === 'COMPLETION' ? intervalsAfter(rule, current) : datesAfter(rule, start, current, from);
  for (const next of dates) {
    if (next.number > (rule.COUNT ?? Infinity)) return;
    yield next;
  }
}

/** Yields the dates after one, as if each occurrence is completed on its date. */
function* intervalsAfter(rule: Rule, { number, date }: Numbered): Generator<Numbered, void> {
  for (let next = plusInterval(rule, date); next !== undefined; next = plusInterval(rule, next)) {
    number += 1;
    yield { number, date: next };
  }
}

/**
 * Returns the occurrence after this one.
 * @param completion its local day, by default today, and when the task was created
 * @returns undefined if there is none
 */
export function nextOf<Shown extends Recurrence>(
  recurrence: Shown,
  now: Date,
  completion: { on?: string | null | undefined; created: Date } = { created: now },
): Shown | undefined {
  const { basis, timeZone } = recurrence;
  const today = localOf(now, timeZone).date;
  let from = recurrence;
  if (basis === 'COMPLETION') {
    const on = completion.on ?? today;
    const earliest = localOf(completion.created, timeZone).date;
    from = { ...recurrence, date: later(earliest, on > today ? today : on) };
  }
  for (const next of occurrencesAfter(from, basis === 'SCHEDULE' ? today : undefined)) {
    const { time } = dueOf(next);
    if (basis !== 'SCHEDULE' || !time || time > now) return next;
  }
  return undefined;
}

/** Moves a day, within the years 1 to 9999. */
export const movedDay = (date: string, days: number): string =>
  dateOf(Math.min(Math.max(dayOf(date) + days, dayOf(firstDate)), dayOf(lastDate)));

/** Moves a local time by days, within the years 1 to 9999. */
export function movedTime(moment: Date, days: number, timeZone: string): Date {
  const { date, time } = localOf(moment, timeZone);
  const moved = momentOf(movedDay(date, days), time, timeZone).getTime();
  return new Date(Math.min(Math.max(moved, firstMoment.getTime()), lastMoment.getTime()));
}

/** Whether a task is due when its occurrence is, and was not moved. */
function isDueOf(occurrence: Recurrence, due: Due): boolean {
  const own = dueOf(occurrence);
  // Milliseconds, and the second of two equal local times, are not part of a series.
  const local = (moment: Date | null) => moment && Object.values(localOf(moment, occurrence.timeZone)).join();
  return due.date === own.date && local(due.time) === local(own.time);
}

/**
 * Makes a task an occurrence of a series.
 * @param due of the task. Without date and time, the series begins on the first day from today that fits
 * @param options.current recurrence of the task
 * @param options.zone default of a new series
 * @returns the recurrence, and when the task is due
 * @throws {RuleError}
 */
export function setSeries(
  input: RecurrenceInput,
  due: Due,
  { current, now, zone }: { current: Recurrence | null; now: Date; zone: string },
): { recurrence: Recurrence; due: { date: string; time: Date | null } } {
  const basis = input.basis ?? current?.basis ?? 'SCHEDULE';
  const timeZone = input.timeZone ?? current?.timeZone ?? zone;
  const parsed = parseFor(basis, input.rule);
  const own = current && isDueOf(current, due) ? current : undefined;
  const { date: day, time, dueTime } = dueIn(timeZone, due, own);
  const rule = { ...parsed, UNTIL: lastDay(parsed.UNTIL, timeZone, time ?? '00:00') };
  const kept = { rule: printRule(rule), basis, timeZone, time, seriesId: current?.seriesId ?? null };
  if (own && (input.start ?? own.start) === own.start && kept.rule === own.rule) {
    // An occurrence that was completed early has a next date before the start.
    const start = basis === 'COMPLETION' || own.start < own.date ? own.start : own.date;
    return { recurrence: { ...own, ...kept, start }, due: { date: own.date, time: dueTime } };
  }
  const date = day ?? firstFit(rule, basis, input.start ?? undefined, localOf(now, timeZone).date);
  if (date === undefined) throw new RuleError(`must have a date in the next ${maxYears} years`);
  const start = input.start ?? date;
  const number = positionOf(date, rule, { ...kept, start, date: start, number: 1 });
  return { recurrence: { ...kept, start, date, number }, due: { date, time: dueTime } };
}

/** A due time in a zone, and its moment. @param own occurrence, if the task was not moved @throws {RuleError} */
function dueIn(timeZone: string, due: Due, own: Recurrence | undefined) {
  // In another zone, the occurrence is due at the same local time.
  const dueTime = own && own.timeZone !== timeZone ? dueOf({ ...own, timeZone }).time : due.time;
  const { date, time } = own ?? (dueTime ? localOf(dueTime, timeZone) : { date: due.date, time: null });
  if (date !== (due.date ?? date)) {
    throw new RuleError(`must be a zone in which the due time is on ${due.date}`, 'timeZone');
  }
  // "+010000-01-01" is less, too.
  if ((date ?? lastDate) < firstDate || (dueTime && !isInYears(dueTime))) {
    throw new RuleError('must be a zone in which the due time is in the years 1 to 9999', 'timeZone');
  }
  return { date, time, dueTime };
}

function parseFor(basis: Basis, text: string): Rule {
  const rule = parseRule(text);
  const [, part] = /\b(BY\w+|WKST)=/i.exec(text) ?? [];
  if (basis === 'COMPLETION' && part) {
    throw new RuleError(`must not have ${part.toUpperCase()} with the basis COMPLETION`);
  }
  return rule;
}

/** The last day of an UNTIL, as YYYYMMDD. An UNTIL with a time includes the occurrences that are not after it. */
function lastDay(until: string | undefined, timeZone: string, time: string): string | undefined {
  if (!until?.includes('T')) return until;
  const clock = until.slice(9).replace(/(..)(..)(..)/, '$1:$2:$3');
  const given = `${dashed(until)}T${clock}`;
  const last = given.endsWith('Z') ? new Date(given) : momentOf(dashed(until), clock, timeZone);
  const { date } = localOf(last, timeZone);
  if (date.length > lastDate.length) return compact(lastDate);
  return compact(momentOf(date, time, timeZone) <= last ? date : dateOf(dayOf(date) - 1));
}

/** The first day that fits, from today or a later start. Without a start, every interval fits. */
function firstFit(rule: Rule, basis: Basis, start: string | undefined, today: string): string | undefined {
  const from = later(start ?? today, today);
  if (basis === 'COMPLETION') return from;
  const dayBefore = dateOf(dayOf(from) - 1);
  const counted = start === undefined ? { ...rule, INTERVAL: 1 } : rule;
  return datesAfter(counted, start ?? today, { number: 0, date: dayBefore }).next().value?.date;
}

/** The position of a date in a series, which may also be between its dates. @throws {RuleError} */
function positionOf(date: string, rule: Rule, first: Recurrence): number {
  const { start } = first;
  if (start > date) throw new RuleError(`must not be after the due date, ${date}`, 'start');
  if (isYearsAfter(date, start, maxYears)) {
    throw new RuleError(`must be at most ${maxYears} years before ${date}`, 'start');
  }
  if ((rule.UNTIL ?? compact(lastDate)) < compact(date)) throw new RuleError(`must not have an UNTIL before ${date}`);
  if (rule.COUNT !== 1 && !numberedAfter(rule, first).next().value) {
    throw new RuleError(`must have a date in the ${maxYears} years after ${start}`);
  }
  let number = date === start ? 1 : 2;
  for (const each of numberedAfter({ ...rule, COUNT: undefined, UNTIL: undefined }, first)) {
    if (each.date >= date) break;
    number += 1;
  }
  if (number > (rule.COUNT ?? Infinity)) throw new RuleError(`must have a COUNT of at least ${number}`);
  return number;
}

const digits = '0123456789abcdefghjkmnpqrstvwxyz0';

/** Returns the id of the next occurrence of a task or its subtask: the last 12 characters, raised by one. */
export const nextId = (id: string): string =>
  id.slice(0, -12) +
  id
    .slice(-12)
    .replace(/[^z]?z*$/, (raised) => raised.replace(/./g, (digit) => digits.charAt(digits.indexOf(digit) + 1)));
