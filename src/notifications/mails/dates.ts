/** How mails show days and moments: in English, by 24 hours. */
export interface DateTexts {
  /** IANA name of the zone that they are shown in. */
  timeZone: string;
  /** Such as `Sunday, 25 October 2026 at 02:30 CET`: clear at the hour that comes twice, too. */
  moment: (at: Date) => string;
  /** Such as `Sunday, 25 October 2026`. */
  day: (at: Date) => string;
  /** Such as `25 Oct 2026`. */
  shortDay: (at: Date) => string;
  /** Such as `Sun 25 Oct`: for days that are near. */
  weekday: (at: Date) => string;
  /** Such as `02:30`. */
  time: (at: Date) => string;
}

const longDay = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
const clock = { hour: '2-digit', minute: '2-digit' } as const;

/**
 * How moments are shown in a time zone.
 * @param timeZone IANA name; where this process does not know it, as the database has newer ones, moments are shown in UTC
 */
export function datesIn(timeZone: string): DateTexts {
  const zone = isKnown(timeZone) ? timeZone : 'UTC';
  const format = (options: Intl.DateTimeFormatOptions) => {
    // To make one takes longer than to use it: it is made when it is needed, once.
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

function isKnown(timeZone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en-GB', { timeZone }));
  } catch {
    return false;
  }
}

/** A day, YYYY-MM-DD, as a moment of it in UTC. */
export const dayInUtc = (date: string): Date => new Date(`${date}T00:00:00Z`);
