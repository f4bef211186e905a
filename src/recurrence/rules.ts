import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import type { Task } from '../generated/prisma/client.ts';
import { type Context, notCached, signedIn } from '../platform/context.ts';
import { formatDate } from '../platform/dates.ts';
import { parse } from '../platform/input.ts';
import * as data from './data.ts';
import * as input from './input.ts';
import { RuleError } from './rule.ts';
import { dueOf, occurrencesAfter, type Recurrence, type RecurrenceInput, setSeries } from './series.ts';

export { dayOf } from './rule.ts';
export {
  dueOf,
  movedDay,
  movedTime,
  nextId,
  nextOf,
  type Recurrence,
  type RecurrenceInput,
  seriesIdOf,
} from './series.ts';

/** How far ahead `upcoming` looks. */
const yearsAhead = 50;

type Due = Pick<Task, 'dueDate' | 'dueTime'>;

/** As {@link setSeries}. @param path of the input @throws VALIDATION_FAILED instead of a {@link RuleError} */
export function setRecurrence(
  path: string,
  input: RecurrenceInput,
  { dueDate, dueTime }: Due,
  options: Parameters<typeof setSeries>[2],
) {
  try {
    return setSeries(input, { date: dueDate && formatDate(dueDate), time: dueTime }, options);
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
  rawInput: z.input<typeof input.recurrence>,
  due: Due,
): Promise<Recurrence> {
  const viewer = signedIn(context);
  const wanted = parse(input.recurrence, rawInput, 'input');
  // Today changes without a revision.
  notCached(context);
  const { now, timeZone } = await data.findClock(viewer);
  await context.services.turns.next(viewer.id, true);
  return setRecurrence('input', wanted, due, { current: null, now, zone: timeZone }).recurrence;
}

export interface Occurrence {
  number: number;
  date: string;
  /** Null: all day. */
  dueTime: Date | null;
}

/** Lists the next dates in the 50 years after the occurrence. @throws VALIDATION_FAILED if `first` is out of bounds */
export async function upcoming(context: Context, recurrence: Recurrence, first: number): Promise<Occurrence[]> {
  if (first < 0 || first > input.maxUpcoming) {
    throw invalid('first', `must be a whole number from 0 to ${input.maxUpcoming}`);
  }
  await context.services.turns.next(signedIn(context).id, true);
  const { date } = recurrence;
  const listed: Occurrence[] = [];
  const year = `${Number(date.slice(0, 4)) + yearsAhead}`.padStart(4, '0');
  const end = year.length > 4 ? '9999-12-31' : year + date.slice(4);
  for (const next of occurrencesAfter(recurrence)) {
    if (listed.length >= first || next.date > end) break;
    listed.push({ number: next.number, date: next.date, dueTime: dueOf(next).time });
  }
  return listed;
}
