import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';

// The dates of a rule by the definitions of RFC 5545, day by day, without a thought of speed.

type Day = Temporal.PlainDate;

const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const weekdayOf = (day: Day) => weekdays[day.dayOfWeek - 1] ?? '';

const isListed = (list: readonly string[], position: number, size: number) =>
  list.some((each) => Number(each) === position || Number(each) === position - size - 1);

function firstOfWeek(day: Day, wkst: string): Day {
  return weekdayOf(day) === wkst ? day : firstOfWeek(day.subtract({ days: 1 }), wkst);
}

const daysOfWeek = (first: Day) => Array.from({ length: 7 }, (_, index) => first.add({ days: index }));

/** Week one is the first with at least four days in the year. */
function firstOfWeekOne(year: number, wkst: string): Day {
  const first = firstOfWeek(Temporal.PlainDate.from({ year, month: 1, day: 1 }), wkst);
  return daysOfWeek(first).filter((day) => day.year === year).length >= 4 ? first : first.add({ days: 7 });
}

function weekYearOf(day: Day, wkst: string): number {
  const years = daysOfWeek(firstOfWeek(day, wkst)).map(({ year }) => year);
  return years.find((year) => years.filter((each) => each === year).length >= 4) ?? day.year;
}

const weeksBetween = (first: Day, second: Day) => first.until(second, { largestUnit: 'day' }).days / 7;

/** @param text a valid rule without COUNT and UNTIL @returns the first dates after `start` in the next 20 years */
export function datesByDefinition(text: string, start: string, limit: number): string[] {
  const parts = new Map(text.split(';').map((part) => part.split('=') as [string, string]));
  const listOf = (name: string) => parts.get(name)?.split(',') ?? [];
  const [frequency, wkst] = [parts.get('FREQ'), parts.get('WKST') ?? 'MO'];
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const [months, weeks, yearDays, positions] = ['BYMONTH', 'BYWEEKNO', 'BYYEARDAY', 'BYSETPOS'].map(listOf) as [
    string[],
    string[],
    string[],
    string[],
  ];
  let [monthDays, days] = [listOf('BYMONTHDAY'), listOf('BYDAY')];
  const first = Temporal.PlainDate.from(start);

  // "Information not contained in the rule is taken from DTSTART."
  const isOpen = yearDays.length + monthDays.length + days.length === 0;
  const isYearWithoutMonths = frequency === 'YEARLY' && months.length === 0 && weeks.length === 0;
  if (isOpen && (frequency === 'WEEKLY' || weeks.length > 0)) days = [weekdayOf(first)];
  else if (isOpen && frequency !== 'DAILY') monthDays = [String(first.day)];

  const isChosen = (day: Day): boolean => {
    if (isOpen && isYearWithoutMonths && day.month !== first.month) return false;
    if (months.length > 0 && !months.includes(String(day.month))) return false;
    if (monthDays.length > 0 && !isListed(monthDays, day.day, day.daysInMonth)) return false;
    if (yearDays.length > 0 && !isListed(yearDays, day.dayOfYear, day.daysInYear)) return false;
    if (weeks.length > 0) {
      const year = weekYearOf(day, wkst);
      const weekOne = firstOfWeekOne(year, wkst);
      const week = weeksBetween(weekOne, firstOfWeek(day, wkst)) + 1;
      if (!isListed(weeks, week, weeksBetween(weekOne, firstOfWeekOne(year + 1, wkst)))) return false;
    }
    if (days.length === 0) return true;
    const isOfMonth = frequency === 'MONTHLY' || months.length > 0;
    const [position, size] = isOfMonth ? [day.day, day.daysInMonth] : [day.dayOfYear, day.daysInYear];
    const [nth, nthLast] = [Math.ceil(position / 7), Math.ceil((size - position + 1) / 7)];
    return days.some((each) =>
      [`${nth}`, `+${nth}`, `-${nthLast}`, ''].some((number) => each === number + weekdayOf(day)),
    );
  };

  /** Serial number of the interval of the rule. */
  const intervalOf = (day: Day): number => {
    if (frequency === 'DAILY') return first.until(day, { largestUnit: 'day' }).days;
    if (frequency === 'WEEKLY') return weeksBetween(firstOfWeek(first, wkst), firstOfWeek(day, wkst));
    if (frequency === 'MONTHLY') return (day.year - first.year) * 12 + day.month - first.month;
    return weeks.length > 0 ? weekYearOf(day, wkst) - weekYearOf(first, wkst) : day.year - first.year;
  };

  const found: string[] = [];
  let previous = first;
  let set: Day[] = [];
  let current = NaN;
  const flush = (): boolean => {
    for (const [index, day] of set.entries()) {
      if (positions.length > 0 && !isListed(positions, index + 1, set.length)) continue;
      if (Temporal.PlainDate.compare(day, previous) <= 0) continue;
      if (Temporal.PlainDate.compare(day, previous.add({ years: 20 })) > 0) return false;
      found.push(day.toString());
      previous = day;
    }
    set = [];
    return found.length < limit;
  };
  // A set may begin up to a year before the start.
  for (let day = first.subtract({ days: 380 }); ; day = day.add({ days: 1 })) {
    const serial = intervalOf(day);
    if (serial !== current && !flush()) break;
    current = serial;
    if (serial % interval === 0 && isChosen(day)) set.push(day);
    if (Temporal.PlainDate.compare(day, previous.add({ years: 22 })) > 0) break;
  }
  return found.slice(0, limit);
}

const lists = (max: number, isSigned: boolean) =>
  fc
    .array(
      fc.integer({ min: 1, max }).chain((value) => fc.constantFrom(value, ...(isSigned ? [-value] : []))),
      { minLength: 1, maxLength: 4 },
    )
    .map((values) => values.join());

/** Allowed rules. */
export const randomRule = fc
  .record({
    FREQ: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
    INTERVAL: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    BYMONTH: fc.option(lists(12, false), { nil: undefined, freq: 2 }),
    BYWEEKNO: fc.option(lists(53, true), { nil: undefined, freq: 1 }),
    BYYEARDAY: fc.option(lists(366, true), { nil: undefined, freq: 1 }),
    BYMONTHDAY: fc.option(lists(31, true), { nil: undefined, freq: 1 }),
    BYDAY: fc.option(
      fc.array(fc.tuple(fc.constantFrom('', '', '1', '2', '-1', '5', '-20'), fc.constantFrom(...weekdays)), {
        minLength: 1,
        maxLength: 3,
      }),
      { nil: undefined },
    ),
    BYSETPOS: fc.option(lists(4, true), { nil: undefined, freq: 1 }),
    WKST: fc.option(fc.constantFrom(...weekdays), { nil: undefined, freq: 1 }),
  })
  .map(({ FREQ, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYDAY, BYSETPOS, ...others }) => {
    const isYearly = FREQ === 'YEARLY';
    const hasNumbers = FREQ === 'MONTHLY' || (isYearly && BYWEEKNO === undefined);
    const chosen = {
      BYMONTH,
      BYWEEKNO: isYearly ? BYWEEKNO : undefined,
      BYYEARDAY: isYearly ? BYYEARDAY : undefined,
      BYMONTHDAY: FREQ === 'WEEKLY' ? undefined : BYMONTHDAY,
      BYDAY: BYDAY?.map(([number, day]) => `${hasNumbers ? number : ''}${day}`).join(),
    };
    const hasSet = Object.values(chosen).some((part) => part !== undefined);
    return Object.entries({ FREQ, ...others, ...chosen, BYSETPOS: hasSet ? BYSETPOS : undefined })
      .filter(([, value]) => value !== undefined)
      .map((part) => part.join('='))
      .join(';');
  });
