// Series of occurrences. The client has a copy of this file, and a `zone.ts` of its own.
import {
  dateOf,
  datesAfter,
  dayOf,
  lists,
  type Numbered,
  parseRule,
  plusInterval,
  printRule,
  type Rule,
  RuleError,
} from './rule.ts';
import type { Basis } from './summary.ts';
import { localOf, momentOf } from './zone.ts';

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

/** As a task has it, with the canonical rule. */
export type Occurrence = Readonly<Omit<Series, 'rule'> & { rule: string; seriesId: string }>;

/** An absent basis or zone keeps its value. An absent start is the due date. */
export interface RecurrenceInput {
  rule: string;
  basis?: Basis | null | undefined;
  timeZone?: string | null | undefined;
  start?: string | null | undefined;
}

/** Of a task. */
export interface Due {
  date: string | null;
  /** Null: all day. */
  time: Date | null;
}

const maxYears = 20;
/** As in UNTIL. */
const compact = (date: string) => date.replaceAll('-', '');
const yearsBefore = (date: string, years: number) =>
  `${Math.max(0, Number(date.slice(0, 4)) - years)}`.padStart(4, '0') + date.slice(4);

export const seriesOf = (occurrence: Omit<Occurrence, 'seriesId'>): Series => ({
  ...occurrence,
  rule: parseRule(occurrence.rule),
});

export const occurrenceOf = (series: Series, seriesId: string): Occurrence => ({
  ...series,
  rule: printRule(series.rule),
  seriesId,
});

/** The id of a task's first series. */
export const seriesIdOf = (taskId: string): string => taskId.replace('task', 'seri');

/** When an occurrence is due, unless somebody moves it. */
export const dueOf = ({ date, time, timeZone }: Pick<Series, 'date' | 'time' | 'timeZone'>) => ({
  date,
  time: time === null ? null : momentOf(date, time, timeZone),
});

/** The next dates of a series, in order. @param from earlier dates by the schedule are left out */
export function* occurrencesAfter(series: Series, from?: string): Generator<Numbered, void> {
  const { rule, basis, start } = series;
  const dates = basis === 'COMPLETION' ? intervalsAfter(rule, series) : datesAfter(rule, start, series, from);
  for (const next of dates) {
    if (rule.COUNT !== undefined && next.number > rule.COUNT) return;
    yield next;
  }
}

/** As if each occurrence is completed on its date. */
function* intervalsAfter(rule: Rule, { number, date }: Numbered): Generator<Numbered, void> {
  for (let next = plusInterval(rule, date); next !== undefined; next = plusInterval(rule, next)) {
    if (rule.UNTIL !== undefined && compact(next) > rule.UNTIL) return;
    number += 1;
    yield { number, date: next };
  }
}

/**
 * Returns the occurrence after this one.
 * @param completion its local day, if that is not today, and when the task was created
 * @returns undefined if there is none
 */
export function nextOf(
  series: Series,
  now: Date,
  completion?: { on: string | undefined; created: Date },
): Series | undefined {
  const { basis, timeZone, time } = series;
  const today = localOf(now, timeZone).date;
  const isOver = (date: string) => date === today && time !== null && momentOf(date, time, timeZone) <= now;
  let from = series;
  if (basis === 'COMPLETION') {
    const { on = today, created = now } = completion ?? {};
    const earliest = localOf(created, timeZone).date;
    from = { ...series, date: on > today ? today : on < earliest ? earliest : on };
  }
  for (const next of occurrencesAfter(from, basis === 'SCHEDULE' ? today : undefined)) {
    if (basis === 'SCHEDULE' && isOver(next.date)) continue;
    // The last local day of 9999 may end in another year.
    const due = dueOf({ ...series, ...next });
    return due.time && due.time > lastMoment ? undefined : { ...series, ...next };
  }
  return undefined;
}

const firstMoment = new Date('0001-01-01T00:00:00Z');
const lastMoment = new Date('9999-12-31T23:59:59.999Z');

/** Moves a local time by days, within the years 1 to 9999. */
export function movedTime(moment: Date, days: number, timeZone: string): Date {
  const { date, time } = localOf(moment, timeZone);
  const day = Math.min(Math.max(dayOf(date) + days, dayOf('0001-01-01')), dayOf('9999-12-31'));
  const moved = momentOf(dateOf(day), time, timeZone);
  return moved < firstMoment ? firstMoment : moved > lastMoment ? lastMoment : moved;
}

/** Whether a task is due when its occurrence is, and was not moved. */
function isDueOf(occurrence: Omit<Occurrence, 'seriesId'>, due: Due): boolean {
  const own = dueOf(occurrence);
  if (due.date !== own.date || (due.time === null) !== (own.time === null)) return false;
  // Milliseconds, and the second of two equal local times, are not part of a series.
  return (
    due.time?.getTime() === own.time?.getTime() ||
    (due.time !== null && localOf(due.time, occurrence.timeZone).time === occurrence.time)
  );
}

/**
 * Makes a task an occurrence of a series.
 * @param due of the task. Without date and time, the series begins on the first day from today that fits
 * @param options.current recurrence of the task
 * @param options.zone default of a new series
 * @returns the series, and when the task is due
 * @throws {RuleError}
 */
export function setSeries(
  input: RecurrenceInput,
  due: Due,
  options: { current: Omit<Occurrence, 'seriesId'> | null; now: Date; zone: string },
): { series: Series; due: Due } {
  const { current, now } = options;
  const basis = input.basis ?? current?.basis ?? 'SCHEDULE';
  const timeZone = input.timeZone ?? current?.timeZone ?? options.zone;
  const parsed = parseFor(basis, input.rule);
  const own = current && isDueOf(current, due) ? current : undefined;
  const local = own ?? (due.time && localOf(due.time, timeZone));
  if (local && local.date !== (due.date ?? local.date)) {
    throw new RuleError(`must be a zone in which the due time is on ${due.date}`, 'timeZone');
  }
  if (local && !/^(?!0000)\d{4}-/.test(local.date))
    throw new RuleError('must be a zone in which the due time is in the years 1 to 9999', 'timeZone');
  const time = local && local.time;
  const rule = { ...parsed, UNTIL: lastDay(parsed.UNTIL, timeZone, time ?? '00:00') };
  const kept = { rule, basis, timeZone, time };
  // In another zone, the occurrence is due at the same local time.
  const dueAt = (date: string): Due =>
    own && own.timeZone !== timeZone ? dueOf({ date, time, timeZone }) : { date, time: due.time };
  if (own && (input.start ?? own.start) === own.start && printRule(rule) === own.rule) {
    const { start, date, number } = own;
    return { series: { ...kept, start, date, number }, due: dueAt(date) };
  }
  const date = due.date ?? local?.date ?? firstDate(rule, basis, input.start ?? undefined, localOf(now, timeZone).date);
  if (date === undefined) throw new RuleError(`must have a date in the next ${maxYears} years`);
  const start = input.start ?? date;
  if (start > date) throw new RuleError(`must not be after the due date, ${date}`, 'start');
  if (start < yearsBefore(date, maxYears)) {
    throw new RuleError(`must be at most ${maxYears} years before ${date}`, 'start');
  }
  if (rule.UNTIL !== undefined && rule.UNTIL < compact(start)) {
    throw new RuleError(`must not have an UNTIL before ${start}`);
  }
  const first = { ...kept, start, date: start, number: 1 };
  if (rule.COUNT !== 1 && !occurrencesAfter(first).next().value) {
    throw new RuleError(`must have a date in the ${maxYears} years after ${start}`);
  }
  const number = positionOf(date, first);
  if (rule.COUNT !== undefined && number > rule.COUNT) throw new RuleError(`must have a COUNT of at least ${number}`);
  return { series: { ...first, date, number }, due: dueAt(date) };
}

function parseFor(basis: Basis, text: string): Rule {
  const rule = parseRule(text);
  const [other] = lists.filter((name) => rule[name].length > 0);
  const part = other ?? (rule.WKST === 0 ? undefined : 'WKST');
  if (basis === 'COMPLETION' && part) throw new RuleError(`must not have ${part} with the basis COMPLETION`);
  return rule;
}

/** The last day of an UNTIL, as YYYYMMDD. An UNTIL with a time includes the occurrences that are not after it. */
function lastDay(until: string | undefined, timeZone: string, time: string): string | undefined {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/.exec(until ?? '') ?? [];
  const [year, month, day, hours, minutes, seconds, utc] = parts;
  if (hours === undefined) return until;
  const given = { date: `${year}-${month}-${day}`, time: `${hours}:${minutes}:${seconds}` };
  const local = utc ? localOf(new Date(`${given.date}T${given.time}Z`), timeZone) : given;
  // "09:00" and "09:00:00" are the same time.
  const isIncluded = `${local.time}:00` >= `${time}:00`.slice(0, 8);
  const last = isIncluded ? local.date : dateOf(dayOf(local.date) - 1);
  return last.length > 10 ? '99991231' : compact(last);
}

/** The first day that fits, from today or a later start. Without a start, every interval fits. */
function firstDate(rule: Rule, basis: Basis, start: string | undefined, today: string): string | undefined {
  const from = start !== undefined && start > today ? start : today;
  if (basis === 'COMPLETION') return from;
  const dayBefore = dateOf(dayOf(from) - 1);
  const counted = start === undefined ? { ...rule, INTERVAL: 1 } : rule;
  return datesAfter(counted, start ?? today, { number: 0, date: dayBefore }).next().value?.date;
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

const digits = '0123456789abcdefghjkmnpqrstvwxyz0';

/** Returns the id of the next occurrence of a task or its subtask: the last 12 characters, raised by one. */
export const nextId = (id: string): string =>
  id.slice(0, -12) +
  id
    .slice(-12)
    .replace(/[^z]?z*$/, (raised) => raised.replace(/./g, (digit) => digits.charAt(digits.indexOf(digit) + 1)));
