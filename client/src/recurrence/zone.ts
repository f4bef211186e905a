// Local times, as in the service's `zone.ts`, by `Intl`.

const dayMs = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format) return format;
  try {
    format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    // This device does not know the zone.
    format = formatOf('UTC');
  }
  formats.set(timeZone, format);
  return format;
}

/** Milliseconds east of UTC. The text of an offset is such as `GMT+05:30`, and `GMT` for zero. */
function offsetAt(ms: number, timeZone: string): number {
  const text = formatOf(timeZone).format(ms);
  const [, sign = '', hours = 0, minutes = 0, seconds = 0] = /GMT(.)(\d+):(\d+):?(\d+)?$/.exec(text) ?? [];
  return Number(`${sign}1000`) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

/** Returns the moment of a local time, by the offset before a gap. Of a time that occurs twice, the first counts. */
export function momentOf(date: string, time: string, timeZone: string): Date {
  const local = Date.parse(`${date}T${time}Z`);
  const moments = [-dayMs, dayMs].map((ms) => local - offsetAt(local + ms, timeZone));
  const exact = moments.filter((moment) => moment + offsetAt(moment, timeZone) === local);
  return new Date(Math.min(...(exact.length > 0 ? exact : moments.slice(0, 1))));
}

/** @returns a date as YYYY-MM-DD, and a time as HH:MM, or HH:MM:SS if it has seconds */
export function localOf(moment: Date, timeZone: string): { date: string; time: string } {
  const ms = moment.getTime();
  const [date = '', time = ''] = new Date(ms + offsetAt(ms, timeZone)).toISOString().split('T');
  return { date, time: time.slice(0, 8).replace(/^(.{5}):00$/, '$1') };
}
