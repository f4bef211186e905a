import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  addDays,
  dueMoment,
  endOfLocalDay,
  lastServedDate,
  localDate,
  localMoment,
  reminderMoment,
} from '../../src/notifications/times.ts';
import { allTransitions, asUtc, clockAt, hourMs, minuteMs, oneOfEachKind } from './transitions.ts';

const transitions = allTransitions();

function partsOf(local: number): [date: string, time: string] {
  const text = new Date(local).toISOString();
  return [text.slice(0, 10), text.slice(11, 16)];
}

describe('localMoment', () => {
  test.each([
    ['as usual', 'Europe/Berlin', '2026-07-01', '09:00', '2026-07-01T07:00:00.000Z'],
    ['skipped', 'Europe/Berlin', '2026-03-29', '02:30', '2026-03-29T01:00:00.000Z'],
    ['repeated', 'Europe/Berlin', '2026-10-25', '02:30', '2026-10-25T00:30:00.000Z'],
    ['skipped', 'America/New_York', '2026-03-08', '02:30', '2026-03-08T07:00:00.000Z'],
    ['repeated', 'America/New_York', '2026-11-01', '01:30', '2026-11-01T05:30:00.000Z'],
    ['skipped by half an hour', 'Australia/Lord_Howe', '2026-10-04', '02:15', '2026-10-03T15:30:00.000Z'],
    ['repeated by half an hour', 'Australia/Lord_Howe', '2026-04-05', '01:45', '2026-04-04T14:45:00.000Z'],
    ['skipped by two hours', 'Antarctica/Troll', '2026-03-29', '02:30', '2026-03-29T01:00:00.000Z'],
    ['repeated by two hours', 'Antarctica/Troll', '2026-10-25', '01:30', '2026-10-24T23:30:00.000Z'],
    ['at three quarters of an hour', 'Asia/Kathmandu', '2026-01-01', '09:00', '2026-01-01T03:15:00.000Z'],
    ['repeated before Ramadan', 'Africa/Casablanca', '2026-02-15', '02:30', '2026-02-15T01:30:00.000Z'],
    ['skipped after Ramadan', 'Africa/Casablanca', '2026-03-22', '02:30', '2026-03-22T02:00:00.000Z'],
    ['skipped at midnight', 'America/Sao_Paulo', '2018-11-04', '00:00', '2018-11-04T03:00:00.000Z'],
    ['repeated before midnight', 'America/Sao_Paulo', '2018-02-17', '23:30', '2018-02-18T01:30:00.000Z'],
    ['skipped at midnight', 'Asia/Beirut', '2026-03-29', '00:00', '2026-03-28T22:00:00.000Z'],
    ['skipped before midnight', 'America/Scoresbysund', '2026-03-28', '23:30', '2026-03-29T01:00:00.000Z'],
    ['skipped with its day', 'Pacific/Apia', '2011-12-30', '09:00', '2011-12-30T10:00:00.000Z'],
    ['skipped with its day', 'Pacific/Kwajalein', '1993-08-21', '23:59', '1993-08-21T12:00:00.000Z'],
  ])('%s: %s %s %s is %s', (_case, timeZone, date, time, expected) => {
    expect(localMoment(date, time, timeZone).toISOString()).toBe(expected);
  });

  /** Local times with a wrong result, and the right one. */
  const mismatches: [timeZone: string, date: string, time: string, found: string, right: string][] = [];
  function compareTimes(timeZone: string, local: number, right: number): void {
    const [date, time] = partsOf(local);
    const found = localMoment(date, time, timeZone);
    if (found.getTime() !== right)
      mismatches.push([timeZone, date, time, found.toISOString(), new Date(right).toISOString()]);
  }
  beforeEach(() => void mismatches.splice(0));

  test('equals the time that clocks show, minute by minute, around each kind of transition', () => {
    for (const { timeZone, at } of oneOfEachKind(transitions)) {
      const shown = new Map<number, number>();
      // Goes backwards, so the earlier of two times with the same reading remains.
      for (let ms = at + 8 * hourMs; ms >= at - 8 * hourMs; ms -= minuteMs) shown.set(asUtc(clockAt(ms, timeZone)), ms);
      const last = Math.max(...shown.keys());
      for (let local = Math.min(...shown.keys()); local <= last; local += minuteMs) {
        compareTimes(timeZone, local, shown.get(local) ?? at);
      }
    }
    expect(mismatches).toEqual([]);
  });

  test('is right before, in and after skipped and repeated times, at each transition of each zone', () => {
    for (const { timeZone, at, before, after } of transitions) {
      const [low, high] = [at + Math.min(before, after), at + Math.max(before, after)];
      for (const local of [low - minuteMs, low, (low + high) / 2, high - minuteMs, high]) {
        compareTimes(timeZone, local, local - before < at ? local - before : Math.max(local - after, at));
      }
    }
    expect(mismatches).toEqual([]);
  });

  test('accepts each zone in any case', () => {
    for (const timeZone of Intl.supportedValuesOf('timeZone')) {
      const names = [timeZone, timeZone.toLowerCase(), timeZone.toUpperCase()];
      const clockTimes = names.map((name) => clockAt(localMoment('2026-07-01', '09:00', name).getTime(), timeZone));
      expect([timeZone, clockTimes]).toEqual([timeZone, names.map(() => '2026-07-01T09:00:00')]);
    }
  });

  // Abbreviations that only ICU has.
  const abbreviations =
    'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST';
  const aliases = 'US/Eastern Asia/Calcutta Asia/Kolkata Europe/Kiev Europe/Kyiv GB-Eire W-SU CET EST5EDT SystemV/EST5';
  const others = 'UTC utc Etc/UTC GMT0 Zulu Etc/GMT+12 etc/gmt-14 VST +05:30 -0300';
  const isKnown = (timeZone: string) => {
    try {
      return clockAt(0, timeZone) !== '';
    } catch {
      return false;
    }
  };
  test.each(`${abbreviations} ${aliases} ${others}`.split(' ').filter(isKnown))('accepts the alias %s', (timeZone) => {
    const moment = localMoment('2026-07-01', '09:00', timeZone);
    expect(clockAt(moment.getTime(), timeZone)).toBe('2026-07-01T09:00:00');
  });

  test.each(['Mars/Phobos', '', 'Europe/Berlin ', '2026-01-01T00:00[Europe/Berlin]'])(
    'uses UTC for the unknown zone %j',
    (timeZone) => {
      expect(localMoment('2026-07-01', '09:00', timeZone).toISOString()).toBe('2026-07-01T09:00:00.000Z');
    },
  );

  test.each([
    ['0001-01-01', '0001-01-01T09:00:00'],
    ['1600-02-29', '1600-02-29T09:00:00'],
    ['9999-12-31', '9999-12-31T09:00:00'],
  ])('accepts the year of %s', (date, shown) => {
    expect(clockAt(localMoment(date, '09:00', 'Asia/Tokyo').getTime(), 'Asia/Tokyo').padStart(19, '0')).toBe(shown);
  });
});

describe('localDate', () => {
  test('equals the date that calendars show, to the last second before each transition and midnight', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...transitions),
        fc.integer({ min: -3 * 86_400, max: 3 * 86_400 }),
        (each, seconds) => {
          const { timeZone, at } = each;
          for (const ms of [at + seconds * 1000, at - 1000, at]) {
            const date = clockAt(ms, timeZone).slice(0, 10);
            expect(localDate(new Date(ms), timeZone)).toBe(date);
            const midnight = endOfLocalDay(date, timeZone).getTime();
            expect(clockAt(midnight - 1000, timeZone).slice(0, 10)).toBe(date);
            expect(localDate(new Date(midnight - 1), timeZone)).toBe(date);
            expect(localDate(new Date(midnight), timeZone)).toBe(clockAt(midnight, timeZone).slice(0, 10));
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('endOfLocalDay', () => {
  test.each([
    ['Europe/Berlin', '2026-03-29', '2026-03-29T22:00:00.000Z'],
    ['America/Sao_Paulo', '2018-11-03', '2018-11-04T03:00:00.000Z'],
    ['America/Sao_Paulo', '2018-02-17', '2018-02-18T03:00:00.000Z'],
    ['Asia/Beirut', '2026-03-28', '2026-03-28T22:00:00.000Z'],
    ['Pacific/Apia', '2011-12-29', '2011-12-30T10:00:00.000Z'],
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
    ['UTC', '9999-12-31', '+010000-01-01T00:00:00.000Z'],
  ])('%s: %s ends at %s', (timeZone, date, expected) => {
    expect(endOfLocalDay(date, timeZone).toISOString()).toBe(expected);
  });
});

test.each([
  ['2026-12-31', 1, '2027-01-01'],
  ['2024-02-28', 1, '2024-02-29'],
  ['2026-03-01', -1, '2026-02-28'],
  ['2026-03-29', 7, '2026-04-05'],
  ['9999-12-31', 1, '+010000-01-01'],
  ['0001-01-01', -1, '0000-12-31'],
])('addDays: %s and %i days is %s', (date, days, expected) => {
  expect(addDays(date, days)).toBe(expected);
});

describe('dueMoment', () => {
  const dueTime = new Date('2026-11-22T12:34:56.789Z');
  test.each([
    ['neither date nor time', { dueDate: null, dueTime: null }, undefined],
    ['a time', { dueDate: null, dueTime }, dueTime.toISOString()],
    ['both', { dueDate: '2026-11-30', dueTime }, dueTime.toISOString()],
    ['a date', { dueDate: '2026-11-30', dueTime: null }, '2026-11-30T08:00:00.000Z'],
  ])('of a task with %s', (_case, task, expected) => {
    expect(dueMoment(task, 'Europe/Berlin')?.toISOString()).toBe(expected);
  });

  test('is the beginning of the next day if the zone skips the due date', () => {
    const task = { dueDate: '2011-12-30', dueTime: null };
    expect(dueMoment(task, 'Pacific/Apia')?.toISOString()).toBe('2011-12-30T10:00:00.000Z');
  });
});

test.each([
  [0, '2026-03-29T07:00:00.000Z'],
  [30, '2026-03-29T06:30:00.000Z'],
  [40_320, '2026-03-01T07:00:00.000Z'],
])('reminderMoment: %i minutes before', (minutes, expected) => {
  expect(reminderMoment(new Date('2026-03-29T07:00:00.000Z'), minutes).toISOString()).toBe(expected);
});

test.each([
  ['no date', [], null],
  ['today', ['2026-11-22', '2026-11-21'], '2026-11-22'],
  ['tomorrow, which is today in a zone ahead', ['2026-11-23', '2026-11-22'], '2026-11-23'],
  ['an earlier date if a wrong clock wrote a later one', ['2027-01-01', '2026-11-24', '2026-11-20'], '2026-11-20'],
  ['no date if a wrong clock wrote all', ['2026-11-24'], null],
])('lastServedDate returns %s', (_case, dates, expected) => {
  // It is 22 November in Berlin, and still the 21st in UTC.
  expect(lastServedDate(dates, new Date('2026-11-21T23:30:00.000Z'), 'Europe/Berlin')).toBe(expected);
});
