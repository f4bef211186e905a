import { Temporal } from 'temporal-polyfill';
import { zoneNamed } from '@taskgate/base';

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
