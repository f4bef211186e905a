import { z } from 'zod';
import { invalid } from '@taskgate/base';
import { addDays, dayOf, localDate, localMoment, localTime } from '../src/door/index.ts';
import { formatDate, parseDate, parseDateTime } from '../src/platform/dates.ts';
import type { Caller } from './tool.ts';

export const due = z.enum(['overdue', 'today', 'tomorrow', 'week', 'none']);

/** Conditions of `TaskFilter`. */
export async function dueFilter({ context }: Caller, wanted: z.output<typeof due> | undefined) {
  if (wanted === undefined) return {};
  if (wanted === 'none') return { hasDueDate: false };
  const { today } = await dayOf(context);
  return dueWithin(today, wanted);
}

export function dueWithin(today: string, wanted: 'overdue' | 'today' | 'tomorrow' | 'week') {
  if (wanted === 'overdue') return { dueBefore: today };
  const first = wanted === 'tomorrow' ? 1 : 0;
  const end = { today: 1, tomorrow: 2, week: 7 }[wanted];
  return { dueAfter: addDays(today, first - 1), dueBefore: addDays(today, end) };
}

interface Given {
  dueDate?: string | undefined;
  dueTime?: string | undefined;
}

interface Due {
  dueDate?: string | null;
  dueTime?: Date | null;
}

/** Due dates and times, in the time zone of the caller. */
export class Calendar {
  readonly #today: string;
  readonly #timeZone: string;

  constructor({ today, timeZone }: { today: string; timeZone: string }) {
    this.#today = today;
    this.#timeZone = timeZone;
  }

  static readonly of = async ({ context }: Caller) => new Calendar(await dayOf(context));

  #date(given: string, place: string): string {
    if (given === 'today') return this.#today;
    if (given === 'tomorrow') return addDays(this.#today, 1);
    const date = parseDate(given);
    if (!date) throw invalid(`${place}.dueDate`, 'must be today, tomorrow, or a date that exists, as YYYY-MM-DD');
    return formatDate(date);
  }

  /** @param now what the task has. Its time stays if only the date changes */
  inputOf({ dueDate, dueTime }: Given, place: string, now: Due = {}) {
    if (dueDate === undefined && dueTime === undefined) return {};
    if (dueDate === '') {
      if (dueTime) throw invalid(`${place}.dueTime`, 'must not be given without a date');
      return { dueDate: null, isAllDay: true };
    }
    const date = dueDate === undefined ? undefined : this.#date(dueDate, place);
    if (dueTime === '') return { ...(date !== undefined && { dueDate: date }), isAllDay: true };
    const kept = date !== undefined && now.dueTime ? localTime(now.dueTime, this.#timeZone) : undefined;
    const clock = dueTime ?? kept;
    if (clock === undefined) return { dueDate: date };
    const at = this.#moment(clock, date ?? now.dueDate ?? this.#today, `${place}.dueTime`);
    // A time of day that the date does not have may be on the next one.
    const day = date === undefined || clock.includes('-') ? localDate(at, this.#timeZone) : date;
    if (date !== undefined && day !== date) throw invalid(`${place}.dueTime`, 'must be on the day of dueDate');
    return { dueDate: day, dueTime: at.toISOString(), isAllDay: false };
  }

  #moment(given: string, date: string, place: string): Date {
    const local = /^(?:(\d{4}-\d{2}-\d{2})[Tt ])?((?:[01]\d|2[0-3]):[0-5]\d)(?::[0-5]\d(?:[.,]\d{1,9})?)?$/.exec(given);
    const day = local?.[1] ?? date;
    const at = local ? parseDate(day) && localMoment(day, local[2] ?? '', this.#timeZone) : parseDateTime(given);
    // Some local times are in the year 0 or 10000.
    if (!at || !parseDateTime(at.toISOString()))
      throw invalid(place, 'must be HH:MM, or a date and time that exists, as YYYY-MM-DDTHH:MM');
    return at;
  }
}
