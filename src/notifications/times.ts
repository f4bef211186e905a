import { LRUCache } from 'lru-cache';
import { Temporal } from 'temporal-polyfill';
import { getOrMake } from '../kernel/group.ts';

/** Time of day at which a task is due that has a date alone. */
const dueTimeOfDay = '09:00';

/** Time of day of a digest whose user chose none. */
const defaultDigestTime = '08:00';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Names that the run-time has for time zones, by the names that users gave. */
const zones = new LRUCache<string, string>({ max: 1000, memoMethod: findZone });

/**
 * Milliseconds since 1970, by local time and zone. To find them takes some 50 µs, and the tasks of a user have days in
 * common, as the users of a zone have. A full cache holds about 2 MB.
 */
const moments = new LRUCache<string, number>({ max: 10_000 });

/**
 * `Intl` decides which names a preference may have: aliases too, in any case. Temporal refuses a few of them, such as
 * `PST`, but none of those that `Intl` itself calls the zones by.
 */
function findZone(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

function findMoment(dateTime: string, zone: string): number {
  const local = Temporal.PlainDateTime.from(dateTime);
  const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
  if (earlier.toPlainDateTime().equals(local)) return earlier.epochMilliseconds;
  // Clocks skip it: `earlier` lies before the gap, as long as the gap is.
  return (earlier.getTimeZoneTransition('next') ?? earlier).epochMilliseconds;
}

/**
 * The moment at which clocks show a local time: the earlier one where it comes twice; the first one after the gap where it
 * is skipped, with its whole day too.
 * @param date YYYY-MM-DD
 * @param time HH:MM
 * @param timeZone a name that `Intl` knows; any other one, which it may have known once, means UTC
 * @throws RangeError for a date or time that does not exist
 */
export function localMoment(date: string, time: string, timeZone: string): Date {
  const zone = zones.memo(timeZone);
  const local = `${date}T${time}`;
  return new Date(getOrMake(moments, `${local} ${zone}`, () => findMoment(local, zone)));
}

/** A day in UTC; its year has more than four digits after 9999. */
const utcDate = (ms: number) => new Date(ms).toISOString().replace(/T.*/, '');

/**
 * The day a number of days after another one, or before it if negative.
 * @param date YYYY-MM-DD
 * @throws RangeError for a date that does not exist
 */
export const addDays = (date: string, days: number): string => utcDate(Date.parse(date) + days * dayMs);

const startOfLocalDay = (date: string, timeZone: string) => localMoment(date, '00:00', timeZone);

/**
 * The first moment of the next local day. A day that the zone skips ends as it begins.
 * @param date YYYY-MM-DD
 * @param timeZone as of {@link localMoment}
 * @throws RangeError for a date that does not exist
 */
export const endOfLocalDay = (date: string, timeZone: string): Date => startOfLocalDay(addDays(date, 1), timeZone);

/**
 * The local day of a moment, YYYY-MM-DD: the last one that has begun.
 * @param timeZone as of {@link localMoment}
 */
export function localDate(at: Date, timeZone: string): string {
  const utc = utcDate(at.getTime());
  // Clocks are less than a day away from UTC.
  const begun = [1, 0].map((days) => addDays(utc, days)).find((date) => startOfLocalDay(date, timeZone) <= at);
  return begun ?? addDays(utc, -1);
}

/**
 * When a task is due: at its time; one that has a date alone, at 09:00 local time; null where it has neither.
 * @param task its `dueDate` is YYYY-MM-DD
 * @param timeZone of the user to be reminded, as of {@link localMoment}
 */
export function dueMoment(task: { dueDate: string | null; dueTime: Date | null }, timeZone: string): Date | null {
  if (task.dueTime !== null || task.dueDate === null) return task.dueTime;
  return localMoment(task.dueDate, dueTimeOfDay, timeZone);
}

/** When a user is to be reminded of what is due. @param minutesBefore their `reminderBefore` */
export const reminderMoment = (due: Date, minutesBefore: number): Date =>
  new Date(due.getTime() - minutesBefore * minuteMs);

/** A moment by the database's clock, and the preferences of a user. */
interface DigestOptions {
  now: Date;
  /** HH:MM; null: 08:00. */
  time: string | null;
  /** As of {@link localMoment}. */
  timeZone: string;
}

/** The digest of a local day. */
export interface PlannedDigest {
  /** YYYY-MM-DD. */
  date: string;
  /** When it is to be sent; it may have passed. */
  at: Date;
  /** From when on it is too late for it: the end of the local day of `at`. */
  endsAt: Date;
}

/** The digest of the first day, from one on, that the zone does not skip and whose moment is after `passed`. */
function firstDigest(from: string, { time, timeZone }: Omit<DigestOptions, 'now'>, passed?: Date): PlannedDigest {
  const at = localMoment(from, time ?? defaultDigestTime, timeZone);
  const isSkipped = startOfLocalDay(from, timeZone) >= endOfLocalDay(from, timeZone);
  if (isSkipped || (passed && at <= passed)) return firstDigest(addDays(from, 1), { time, timeZone }, passed);
  // If clocks skip the last hour of the day, `at` begins the next one.
  return { date: from, at, endsAt: endOfLocalDay(localDate(at, timeZone), timeZone) };
}

/** Dates of four-digit years are in the order of their characters. */
const later = (date: string, other: string) => (date > other ? date : other);

/**
 * The newest of local days, the newest first, that is not beyond tomorrow: what is, a clock has written that was wrong.
 * @returns null where there is none
 */
export const lastServedDate = (dates: readonly string[], now: Date, timeZone: string): string | null =>
  dates.find((date) => date <= addDays(localDate(now, timeZone), 1)) ?? null;

/**
 * The next digest of a user whose digest is switched on, or whose preferences change: today's where its moment is still
 * ahead, else tomorrow's; never that of a day that had one.
 * @param options `lastDate`: newest local day whose digest was sent or missed, null before the first; local days of
 *   another time zone count alike
 */
export function nextDigest(options: DigestOptions & { lastDate: string | null }): PlannedDigest {
  const { now, timeZone, lastDate } = options;
  const today = localDate(now, timeZone);
  return firstDigest(lastDate === null ? today : later(today, addDays(lastDate, 1)), options, now);
}

/**
 * The digest that comes after one that was sent, or missed: the next day's, or today's where that is later. Its moment may
 * have passed: then it is sent at once.
 * @param options `servedDate`: local day of the one before
 */
export function digestAfter(options: DigestOptions & { servedDate: string }): PlannedDigest {
  const { now, timeZone, servedDate } = options;
  return firstDigest(later(localDate(now, timeZone), addDays(servedDate, 1)), options);
}
