import { batch, signal } from '@preact/signals';
import { dayOf } from 'taskgate-client';

export { dayOf };

/** Days are `YYYY-MM-DD` in the browser's time zone, the format of the service. */

const twoDigits = (value: number) => String(value).padStart(2, '0');

export const momentOf = (day: string, time = '00:00'): Date => new Date(`${day}T${time}`);

const browserZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Changes while a page is open. */
export const today = signal(dayOf(new Date()));
/** Changes when the user travels. */
export const zone = signal(browserZone());

/** Timers stop while the machine sleeps, and browsers have no event for a new time zone. */
const checkMs = 60_000;

/** Keeps {@link today} and {@link zone} up to date. */
export function followClock(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = () => {
    batch(() => {
      zone.value = browserZone();
      today.value = dayOf(new Date());
    });
    clearTimeout(timer);
    const midnight = momentOf(addDays(today.value, 1)).getTime();
    timer = setTimeout(check, Math.min(midnight - Date.now(), checkMs));
  };
  for (const event of ['visibilitychange', 'resume']) document.addEventListener(event, check);
  for (const event of ['focus', 'pageshow']) addEventListener(event, check);
  check();
}

/** Returns undefined if the day does not exist. The service has no year 0. */
export function validDay(year: number, month: number, day: number): string | undefined {
  const text = `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
  return year > 0 && dayOf(momentOf(text, '12:00')) === text ? text : undefined;
}

export function addDays(day: string, days: number): string {
  const moment = momentOf(day, '12:00');
  moment.setDate(moment.getDate() + days);
  return dayOf(moment);
}

/** Returns the time of day as `HH:MM`. */
export const timeOf = (moment: string): string => {
  const date = new Date(moment);
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
};

/** Creates a format at its first use in a time zone, because this takes milliseconds. */
function lazyFormat<Format>(createFormat: () => Format): () => Format {
  let cached: { readonly format: Format; readonly zone: string } | undefined;
  return () => (cached = cached?.zone === zone.value ? cached : { format: createFormat(), zone: zone.value }).format;
}

function createFormatter(options: Intl.DateTimeFormatOptions): (moment: Date) => string {
  const format = lazyFormat(() => new Intl.DateTimeFormat(undefined, options));
  return (moment) => format().format(moment);
}

const withoutYear = createFormatter({ day: 'numeric', month: 'short' });
const withYear = createFormatter({ day: 'numeric', month: 'short', year: 'numeric' });
const withWeekday = createFormatter({ weekday: 'long', day: 'numeric', month: 'long' });
const weekdayOnly = createFormatter({ weekday: 'short' });
const monthAndYear = createFormatter({ month: 'long', year: 'numeric' });
const timeOnly = createFormatter({ timeStyle: 'short' });
const dayAndTime = createFormatter({ dateStyle: 'medium', timeStyle: 'short' });

const relativeFormat = lazyFormat(() => new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }));

const capitalize = (text: string) => text.charAt(0).toLocaleUpperCase() + text.slice(1);

/** Formats a day without words: "24 Nov". */
export const formatDate = (day: string, base = today.value): string =>
  (day.slice(0, 4) === base.slice(0, 4) ? withoutYear : withYear)(momentOf(day));

/** Formats a day for a list: "Today", "Fri", "24 Nov". */
export function formatDay(day: string, base = today.value): string {
  const distance = Math.round((momentOf(day, '12:00').getTime() - momentOf(base, '12:00').getTime()) / 86_400_000);
  if (Math.abs(distance) <= 1) return capitalize(relativeFormat().format(distance, 'day'));
  if (distance > 1 && distance < 7) return weekdayOnly(momentOf(day));
  return formatDate(day, base);
}

export const formatFullDay = (day: string): string => withWeekday(momentOf(day));
export const formatMonth = (day: string): string => monthAndYear(momentOf(day));
export const formatWeekday = (day: string): string => weekdayOnly(momentOf(day));
export const formatTime = (moment: string): string => timeOnly(new Date(moment));
export const formatMoment = (moment: string): string => dayAndTime(new Date(moment));

/** 1 is Monday, 7 is Sunday. */
function firstWeekday(): number {
  const locale = new Intl.Locale(navigator.language) as Intl.Locale & {
    getWeekInfo?: () => { firstDay: number };
    weekInfo?: { firstDay: number };
  };
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;
}

/** Returns six full weeks, which include the month. */
export function weeksOf(month: string): string[][] {
  const first = `${month.slice(0, 7)}-01`;
  const weekday = momentOf(first).getDay() || 7;
  const start = addDays(first, -((weekday - firstWeekday() + 7) % 7));
  return Array.from({ length: 6 }, (_week, week) =>
    Array.from({ length: 7 }, (_day, index) => addDays(start, 7 * week + index)),
  );
}

/** Shorter months end with their last day. */
export function addMonths(day: string, months: number): string {
  const moment = momentOf(`${day.slice(0, 7)}-01`, '12:00');
  moment.setMonth(moment.getMonth() + months + 1, 0);
  moment.setDate(Math.min(moment.getDate(), Number(day.slice(8))));
  return dayOf(moment);
}

export const firstOfMonth = (day: string, months: number): string => addMonths(`${day.slice(0, 7)}-01`, months);

export const isDayFirst = lazyFormat(() => {
  const parts = new Intl.DateTimeFormat().formatToParts().map(({ type }) => type);
  return parts.indexOf('day') < parts.indexOf('month');
});
