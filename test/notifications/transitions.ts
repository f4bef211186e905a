/** Readings of clocks by `Intl` alone, to compare the service's local times with. */

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The reading of a clock, as YYYY-MM-DDTHH:MM:SS. */
export function clockAt(ms: number, timeZone: string): string {
  // Swedish writes dates as ISO 8601.
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(timeZone, format);
  return format.format(ms).replace(' ', 'T');
}

/** A local time as if it were UTC, in milliseconds since 1970. */
export const asUtc = (local: string) => Date.parse(`${local}Z`);

const offsetAt = (ms: number, timeZone: string) => asUtc(clockAt(ms, timeZone)) - ms;

export interface Transition {
  timeZone: string;
  /** First time with the new offset, in milliseconds since 1970. */
  at: number;
  /** Offset from UTC, in milliseconds. */
  before: number;
  after: number;
}

/** Two transitions of a zone are always further apart. */
const stepMs = 28 * dayMs;

function transitionsOf(timeZone: string, from: number, until: number): Transition[] {
  const steps = Array.from({ length: Math.ceil((until - from) / stepMs) }, (_, step) => from + step * stepMs);
  return steps.flatMap((start) => {
    let [low, high] = [start, start + stepMs];
    const [before, after] = [offsetAt(low, timeZone), offsetAt(high, timeZone)];
    if (before === after) return [];
    while (high - low > 1000) {
      const middle = low + Math.floor((high - low) / 2000) * 1000;
      if (offsetAt(middle, timeZone) === before) low = middle;
      else high = middle;
    }
    return [{ timeZone, at: high, before, after }];
  });
}

export const allTransitions = (): Transition[] =>
  Intl.supportedValuesOf('timeZone').flatMap((timeZone) =>
    transitionsOf(timeZone, Date.parse('2020-01-01'), Date.parse('2036-01-01')),
  );

/** The last transition for each time of day and shift. */
export const oneOfEachKind = (transitions: readonly Transition[]): Transition[] => [
  ...new Map(
    transitions.map((each) => [
      `${clockAt(each.at - 1000, each.timeZone).slice(11)} ${each.after - each.before}`,
      each,
    ]),
  ).values(),
];
