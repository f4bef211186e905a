import { invalid } from '@taskgate/base';
import { type Context, notCached, signedIn } from '../platform/context.ts';
import { formatDate } from '../platform/dates.ts';
import { parse } from '../platform/input.ts';
import * as data from './data.ts';
import * as input from './input.ts';
import {
  dueOf,
  type Occurrence as StoredOccurrence,
  occurrenceOf,
  occurrencesAfter,
  type Series,
  seriesOf,
  setSeries,
} from './series.ts';
import { dayOf, RuleError } from './rule.ts';
import { summaryOf as inWords } from './summary.ts';

export {
  dueOf,
  movedTime,
  nextId,
  nextOf,
  type Occurrence as StoredOccurrence,
  occurrenceOf,
  type Series,
  seriesIdOf,
  seriesOf,
  setSeries,
} from './series.ts';

export const daysBetween = (from: string, to: string): number => dayOf(to) - dayOf(from);

/** How far ahead `upcoming` looks. */
const yearsAhead = 50;

/** As clients see it. A preview has no `seriesId`. */
export type Recurrence = Omit<StoredOccurrence, 'seriesId' | 'start' | 'date'> & {
  seriesId: string | null;
  start: Date;
  date: Date;
};

export const toRecurrence = (
  occurrence: Omit<StoredOccurrence, 'seriesId'> & { seriesId: string | null },
): Recurrence => ({
  ...occurrence,
  start: new Date(occurrence.start),
  date: new Date(occurrence.date),
});

const toSeries = (recurrence: Recurrence): Series =>
  seriesOf({ ...recurrence, start: formatDate(recurrence.start), date: formatDate(recurrence.date) });

export function summaryOf(recurrence: Recurrence): string {
  const { rule, basis, start } = toSeries(recurrence);
  return inWords(rule, basis, start);
}

/** @param path of the recurrence's input @throws VALIDATION_FAILED instead of a {@link RuleError} */
export function refusing<Result>(path: string, make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    throw error instanceof RuleError ? invalid(`${path}.${error.field}`, error.message) : error;
  }
}

/**
 * Returns the recurrence that a task with these due date and time would have.
 * @throws UNAUTHENTICATED; VALIDATION_FAILED
 */
export async function previewRecurrence(
  context: Context,
  rawInput: input.RecurrenceInput,
  due: { date: Date | null; time: Date | null },
): Promise<Recurrence> {
  const viewer = signedIn(context);
  const wanted = parse(input.recurrence, rawInput, 'input');
  // Today changes without a revision.
  notCached(context);
  const clock = await data.findClock(viewer);
  await context.services.turns.next(viewer.id, true);
  const { series } = refusing('input', () =>
    setSeries(
      { ...wanted, start: wanted.start && formatDate(wanted.start) },
      { date: due.date && formatDate(due.date), time: due.time },
      { current: null, now: clock.now, zone: clock.timeZone },
    ),
  );
  return toRecurrence({ ...occurrenceOf(series, ''), seriesId: null });
}

export interface Occurrence {
  number: number;
  date: Date;
  /** Null: all day. */
  dueTime: Date | null;
}

/** Lists the next dates in the 50 years after the occurrence. @throws VALIDATION_FAILED if `first` is out of bounds */
export async function upcoming(context: Context, recurrence: Recurrence, first: number): Promise<Occurrence[]> {
  if (first < 0 || first > input.maxUpcoming) {
    throw invalid('first', `must be a whole number from 0 to ${input.maxUpcoming}`);
  }
  await context.services.turns.next(signedIn(context).id, true);
  const series = toSeries(recurrence);
  const { date, time, timeZone } = series;
  const listed: Occurrence[] = [];
  const year = `${Number(date.slice(0, 4)) + yearsAhead}`.padStart(4, '0');
  const end = year.length > 4 ? '9999-12-31' : year + date.slice(4);
  for (const next of occurrencesAfter(series)) {
    const dueTime = dueOf({ date: next.date, time, timeZone }).time;
    // The last local day may end in the year 10000.
    const isOver = next.date > end || (dueTime && dueTime.getUTCFullYear() > 9999);
    if (listed.length >= first || isOver) break;
    listed.push({ number: next.number, date: new Date(next.date), dueTime });
  }
  return listed;
}
