import { z } from 'zod';
import { invalid } from '@taskgate/base';
import { addDays, dayOf, localOf, momentOf } from '../src/door/index.ts';
import { parseDate, parseDateTime } from '../src/platform/dates.ts';
import type { Api } from './tool.ts';

export const due = z.enum(['overdue', 'today', 'tomorrow', 'week', 'none']);

/** Conditions of `TaskFilter`. */
export function dueFilter(today: string, wanted: z.output<typeof due>) {
  if (wanted === 'none') return { hasDueDate: false };
  if (wanted === 'overdue') return { dueBefore: today };
  const [first, end] = { today: [0, 1], tomorrow: [1, 2], week: [0, 7] }[wanted] as [number, number];
  return { dueAfter: addDays(today, first - 1), dueBefore: addDays(today, end) };
}

interface Due {
  dueDate?: string | null | undefined;
  dueTime?: string | null | undefined;
}

/** @returns a function that makes fields of task inputs, in the time zone of the caller */
export async function dueInputs({ context }: Api) {
  const { today, timeZone } = await dayOf(context);

  function dateOf(given: string, place: string): string {
    if (given === 'today') return today;
    if (given === 'tomorrow') return addDays(today, 1);
    if (parseDate(given)) return given;
    throw invalid(`${place}.dueDate`, 'must be today, tomorrow, or a date that exists, as YYYY-MM-DD');
  }

  function timeOf(given: string, date: string, place: string): Date {
    const text = /^[\d:.,]*$/.test(given) ? `${date}T${given}` : given;
    const parsed = parseDateTime(text);
    const isLocal = parsed && !/(?:[Zz]|[+-][\d:]+)$/.test(text);
    const at = isLocal ? momentOf(text.slice(0, 10), text.slice(11), timeZone) : parsed;
    // Some local times are in the year 0 or 10000.
    if (at && parseDateTime(at.toISOString())) return at;
    throw invalid(`${place}.dueTime`, 'must be HH:MM, or a date and time that exists, as YYYY-MM-DDTHH:MM');
  }

  /** Undefined for a task without a time. On another date, it is the same time of day. */
  function timeOn(date: string, { dueTime }: Due): string | undefined {
    if (!dueTime) return undefined;
    const own = localOf(new Date(dueTime), timeZone);
    return own.date === date ? dueTime : own.time;
  }

  /** @param now present date and time of the task. The time stays if only the date changes */
  return ({ dueDate, dueTime }: Due, place: string, now: Due = {}) => {
    if (dueDate === undefined && dueTime === undefined) return {};
    if (dueDate === null && dueTime) throw invalid(`${place}.dueTime`, 'must not be given without a date');
    if (dueDate === null) return { dueDate: null, isAllDay: true };
    const date = dueDate === undefined ? undefined : dateOf(dueDate, place);
    if (dueTime === null) return { dueDate: date, isAllDay: true };
    const time = dueTime ?? (date === undefined ? undefined : timeOn(date, now));
    if (time === undefined) return { dueDate: date };
    const at = timeOf(time, date ?? now.dueDate ?? today, place);
    // A local time that the clock skips may be on the next date.
    const day = date === undefined || time.includes('-') ? localOf(at, timeZone).date : date;
    if (date !== undefined && day !== date) throw invalid(`${place}.dueTime`, 'must be on the day of dueDate');
    return { dueDate: day, dueTime: at.toISOString(), isAllDay: false };
  };
}
