import { LRUCache } from 'lru-cache';
import { Temporal } from 'temporal-polyfill';
import { getOrMake } from '@taskgate/base';
import { zoneNamed } from '@taskgate/base';

/** Due time of a task with only a date. */
const dueTimeOfDay = '09:00';

const defaultDigestTime = '08:00';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Milliseconds by local time and zone. Computing one takes about 50 µs. A full cache takes about 2 MB. */
const moments = new LRUCache<string, number>({ max: 10_000 });

function findMoment(dateTime: string, zone: string): number {
  const local = Temporal.PlainDateTime.from(dateTime);
  const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
  if (earlier.toPlainDateTime().equals(local)) return earlier.epochMilliseconds;
  // The time is skipped, and `earlier` is before the gap.
  return (earlier.getTimeZoneTransition('next') ?? earlier).epochMilliseconds;
}

/**
 * Returns the moment of a local time: the first occurrence of a repeated time, and the end of the gap for a skipped time
 * or day.
 * @param date YYYY-MM-DD
 * @param time HH:MM
 * @param timeZone name known to `Intl`; others mean UTC
 * @throws RangeError if the date or time does not exist
 */
export function localMoment(date: string, time: string, timeZone: string): Date {
  const zone = zoneNamed(timeZone);
  const local = `${date}T${time}`;
  return new Date(getOrMake(moments, `${local} ${zone}`, () => findMoment(local, zone)));
}

/** Years after 9999 have more than four digits. */
const utcDate = (ms: number) => new Date(ms).toISOString().replace(/T.*/, '');

/**
 * @param date YYYY-MM-DD
 * @throws RangeError if the date does not exist
 */
export const addDays = (date: string, days: number): string => utcDate(Date.parse(date) + days * dayMs);

const startOfLocalDay = (date: string, timeZone: string) => localMoment(date, '00:00', timeZone);

/**
 * Returns the first moment of the next local day. A day that the time zone skips has no length.
 * @throws RangeError if the date does not exist
 */
export const endOfLocalDay = (date: string, timeZone: string): Date => startOfLocalDay(addDays(date, 1), timeZone);

/** Returns YYYY-MM-DD. */
export function localDate(at: Date, timeZone: string): string {
  const utc = utcDate(at.getTime());
  // Every zone is less than a day from UTC.
  const begun = [1, 0].map((days) => addDays(utc, days)).find((date) => startOfLocalDay(date, timeZone) <= at);
  return begun ?? addDays(utc, -1);
}

/** Returns 09:00 local time for a task with only a date. Null if undated. */
export function dueMoment(task: { dueDate: string | null; dueTime: Date | null }, timeZone: string): Date | null {
  if (task.dueTime !== null || task.dueDate === null) return task.dueTime;
  return localMoment(task.dueDate, dueTimeOfDay, timeZone);
}

export const reminderMoment = (due: Date, minutesBefore: number): Date =>
  new Date(due.getTime() - minutesBefore * minuteMs);

interface DigestOptions {
  now: Date;
  /** HH:MM; null for 08:00. */
  time: string | null;
  timeZone: string;
}

export interface PlannedDigest {
  /** YYYY-MM-DD. */
  date: string;
  /** May be in the past. */
  at: Date;
  /** The end of the local day of `at`. */
  endsAt: Date;
}

/** Returns the first digest on or after a day whose moment is after `passed`. Skipped days have none. */
function firstDigest(from: string, { time, timeZone }: Omit<DigestOptions, 'now'>, passed?: Date): PlannedDigest {
  const at = localMoment(from, time ?? defaultDigestTime, timeZone);
  const isSkipped = startOfLocalDay(from, timeZone) >= endOfLocalDay(from, timeZone);
  if (isSkipped || (passed && at <= passed)) return firstDigest(addDays(from, 1), { time, timeZone }, passed);
  // If the last hour of the day is skipped, `at` is on the next day.
  return { date: from, at, endsAt: endOfLocalDay(localDate(at, timeZone), timeZone) };
}

/** Dates with four-digit years compare as text. */
const later = (date: string, other: string) => (date > other ? date : other);

/** Returns the newest date. Ignores dates after tomorrow, which a wrong clock wrote. @param dates newest first */
export const lastServedDate = (dates: readonly string[], now: Date, timeZone: string): string | null =>
  dates.find((date) => date <= addDays(localDate(now, timeZone), 1)) ?? null;

/**
 * Plans the next digest after a change of preferences: today's if its time is ahead, else tomorrow's. A day has at most
 * one digest.
 * @param options `lastDate`: newest local day with a digest, in any zone
 */
export function nextDigest(options: DigestOptions & { lastDate: string | null }): PlannedDigest {
  const { now, timeZone, lastDate } = options;
  const today = localDate(now, timeZone);
  return firstDigest(lastDate === null ? today : later(today, addDays(lastDate, 1)), options, now);
}

/**
 * Plans the digest of the day after the previous one, or today's if that is later. If its time has passed, it is sent at
 * once.
 * @param options `servedDate`: day of the previous digest
 */
export function digestAfter(options: DigestOptions & { servedDate: string }): PlannedDigest {
  const { now, timeZone, servedDate } = options;
  return firstDigest(later(localDate(now, timeZone), addDays(servedDate, 1)), options);
}
