import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatDate, parseDate, parseDateTime } from '../../src/platform/dates.ts';

/** Times that PostgreSQL and a four-digit year can express. */
const moment = fc.date({
  min: new Date('0001-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

describe('parseDate', () => {
  test('reads every day as midnight in UTC, and formatDate writes it back', () => {
    fc.assert(
      fc.property(moment, (date) => {
        const day = formatDate(date);
        expect(parseDate(day)?.toISOString()).toBe(`${day}T00:00:00.000Z`);
      }),
    );
  });

  test.each(['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])('accepts the day %s', (day) => {
    expect(parseDate(day)?.toISOString().slice(0, 10)).toBe(day);
  });

  test.each([
    '2026-02-30',
    '2025-02-29',
    '1900-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-1-1',
    '0000-01-01',
    '20261-01-01',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026-01-01\n',
    '',
    'today',
    20260101,
    null,
    undefined,
    ['2026-01-01'],
    Object.create(null),
  ])('refuses %j', (value) => {
    expect(parseDate(value)).toBeUndefined();
  });
});

describe('parseDateTime', () => {
  test('reads every moment that is written with milliseconds', () => {
    fc.assert(
      fc.property(moment, (date) => {
        expect(parseDateTime(date.toISOString())).toEqual(date);
      }),
    );
  });

  test.each([
    ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20t10:00:00z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20 10:00:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00:00,5Z', '2026-11-20T10:00:00.500Z'],
    ['2026-11-20T10:00:00.123456789Z', '2026-11-20T10:00:00.123Z'],
    ['2026-11-20T10:00:00+05:30', '2026-11-20T04:30:00.000Z'],
    ['2026-11-20T10:00:00+0530', '2026-11-20T04:30:00.000Z'],
    ['2026-11-20T23:00:00-03', '2026-11-21T02:00:00.000Z'],
    ['2026-11-20T23:00:00+23:00', '2026-11-20T00:00:00.000Z'],
  ])('reads %s as %s, in any zone of the machine', (text, expected) => {
    const zone = process.env['TZ'];
    for (const each of ['America/New_York', 'Asia/Tokyo']) {
      process.env['TZ'] = each;
      expect(parseDateTime(text)?.toISOString()).toBe(expected);
    }
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  test.each([
    '2026-11-20',
    '2026-11-20T24:00:00Z',
    '2026-11-20T10:60:00Z',
    '2026-11-20T10:00:60Z',
    '2026-11-20T10:00:00+24:00',
    '2026-02-30T10:00:00Z',
    '2026-11-20T10:00:00ZZ',
    ' 2026-11-20T10:00:00Z',
    ['2026-11-20T10:00:00Z'],
    'Fri, 20 Nov 2026 10:00:00 GMT',
    '1763632800000',
    1763632800000,
    null,
    undefined,
  ])('refuses %j', (value) => {
    expect(parseDateTime(value)).toBeUndefined();
  });

  test('refuses moments whose year in UTC does not have four digits', () => {
    expect(parseDateTime('9999-12-31T23:30:00-01:00')).toBeUndefined();
    expect(parseDateTime('0001-01-01T00:30:00+01:00')).toBeUndefined();
  });
});
