import { isTimeZone } from '@taskgate/base';

/** Formats of dates and times, in English with 24 hours. */
interface DateTexts {
  timeZone: string;
  /** `Sunday, 25 October 2026 at 02:30 CET`. The zone distinguishes repeated hours. */
  moment: (at: Date) => string;
  /** `Sunday, 25 October 2026` */
  day: (at: Date) => string;
  /** `25 Oct 2026` */
  shortDay: (at: Date) => string;
  /** `Sun 25 Oct`, for near days. */
  weekday: (at: Date) => string;
  /** `02:30` */
  time: (at: Date) => string;
}

const longDay = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
const clock = { hour: '2-digit', minute: '2-digit' } as const;

/** @param timeZone IANA name; UTC if unknown to this process */
export function datesIn(timeZone: string): DateTexts {
  const zone = isTimeZone(timeZone) ? timeZone : 'UTC';
  const format = (options: Intl.DateTimeFormatOptions) => {
    // Creating a format is slow, so it is created on demand.
    let made: Intl.DateTimeFormat | undefined;
    return (at: Date) => (made ??= new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone })).format(at);
  };
  return {
    timeZone: zone,
    moment: format({ ...longDay, ...clock, timeZoneName: 'short' }),
    day: format(longDay),
    shortDay: format({ day: 'numeric', month: 'short', year: 'numeric' }),
    weekday: format({ weekday: 'short', day: 'numeric', month: 'short' }),
    time: format(clock),
  };
}

/** @param date YYYY-MM-DD */
export const dayInUtc = (date: string): Date => new Date(`${date}T00:00:00Z`);
