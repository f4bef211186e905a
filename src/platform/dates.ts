const iso8601 =
  /^(?<day>\d{4}-\d{2}-\d{2})[Tt ](?<clock>(?:[01]\d|2[0-3]):[0-5]\d)(?::(?<seconds>[0-5]\d(?:[.,]\d{1,9})?))?(?<zone>[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/;

/** Parses a date and time. Without an offset, it is in UTC. */
export function parseDateTime(value: unknown): Date | undefined {
  const parts = typeof value === 'string' ? iso8601.exec(value)?.groups : undefined;
  if (!parts || !parseDate(parts['day'])) return undefined;
  const { day, clock, seconds = '00', zone = 'Z' } = parts;
  const digits = zone.replaceAll(/\D/g, '').padEnd(4, '0');
  const offset = /[Zz]/.test(zone) ? 'Z' : `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
  const date = new Date(`${day}T${clock}:${seconds.replace(',', '.')}${offset}`);
  return hasFourDigitYear(date) ? date : undefined;
}

/** Undefined if the day does not exist. */
export function parseDate(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined;
  const date = new Date(`${value}T00:00:00.000Z`);
  return hasFourDigitYear(date) && formatDate(date) === value ? date : undefined;
}

/** ISO 8601 and PostgreSQL write other years in different ways. The offset of a time can lead to such a year. */
const hasFourDigitYear = (date: Date) => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999;

export const formatDate = (date: Date) => date.toISOString().slice(0, 10);
