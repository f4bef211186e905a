import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import { dueOf, isYearsAfter, occurrencesAfter, type Recurrence, RuleError, setSeries } from '@taskgate/recurrence';
import type { Task } from '../generated/prisma/client.ts';
import { type Context, notCached, signedIn } from '../platform/context.ts';
import { formatDate } from '../platform/dates.ts';
import { parse } from '../platform/input.ts';
import * as data from './data.ts';
import * as input from './input.ts';

export type RecurrenceInput = z.output<typeof input.recurrence>;

type Due = Pick<Task, 'dueDate' | 'dueTime'>;

/** As {@link setSeries}. @param path of the input @throws VALIDATION_FAILED instead of a {@link RuleError} */
export function setRecurrence(
  path: string,
  { start, ...input }: RecurrenceInput,
  { dueDate, dueTime }: Due,
  options: Parameters<typeof setSeries>[2],
) {
  try {
    const due = { date: dueDate && formatDate(dueDate), time: dueTime };
    return setSeries({ ...input, start: start && formatDate(start) }, due, options);
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
  const listed: Occurrence[] = [];
  for (const next of occurrencesAfter(recurrence)) {
    if (listed.length >= first || isYearsAfter(next.date, recurrence.date, 50)) break;
    listed.push({ number: next.number, date: next.date, dueTime: dueOf(next).time });
  }
  return listed;
}
