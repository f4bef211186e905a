import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  addDays,
  digestAfter,
  endOfLocalDay,
  localDate,
  localMoment,
  nextDigest,
} from '../../src/notifications/times.ts';
import { allTransitions, clockAt, dayMs, minuteMs, type Transition } from './transitions.ts';

const apia: Transition = { timeZone: 'Pacific/Apia', at: Date.parse('2011-12-30T10:00Z'), before: 0, after: 0 };
const kwajalein: Transition = {
  timeZone: 'Pacific/Kwajalein',
  at: Date.parse('1993-08-21T12:00Z'),
  before: 0,
  after: 0,
};
const transition = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...allTransitions()) },
  { weight: 1, arbitrary: fc.constantFrom(apia, kwajalein) },
);

const place = transition.chain((each) => {
  const near = fc.integer({ min: -150, max: 150 }).map((minutes) => each.at + minutes * minuteMs);
  const arbitraryTime = fc.integer({ min: 0, max: 24 * 60 - 1 }).map((minutes) => each.at + minutes * minuteMs);
  const time = fc.oneof(near, arbitraryTime).map((ms) => clockAt(ms, each.timeZone).slice(11, 16));
  return fc.record({ timeZone: fc.constant(each.timeZone), at: fc.constant(each.at), time });
});

function daysBetween(first: string, last: string, timeZone: string): string[] {
  const days = [];
  for (let day = first; day <= last; day = addDays(day, 1)) {
    const end = endOfLocalDay(day, timeZone).getTime();
    if (clockAt(end - 1000, timeZone).startsWith(day)) days.push(day);
  }
  return days;
}

const berlin = { timeZone: 'Europe/Berlin', time: '18:30' };

describe('nextDigest', () => {
  test.each([
    ['before the time', '2026-11-22T17:29:59.999Z', berlin, null, '2026-11-22', '2026-11-22T17:30:00.000Z'],
    ['at the time', '2026-11-22T17:30:00.000Z', berlin, null, '2026-11-23', '2026-11-23T17:30:00.000Z'],
    ['after the time', '2026-11-22T18:00:00.000Z', berlin, null, '2026-11-23', '2026-11-23T17:30:00.000Z'],
    [
      'after a digest of yesterday',
      '2026-11-22T12:00:00.000Z',
      berlin,
      '2026-11-21',
      '2026-11-22',
      '2026-11-22T17:30:00.000Z',
    ],
    [
      'after a digest of today',
      '2026-11-22T12:00:00.000Z',
      berlin,
      '2026-11-22',
      '2026-11-23',
      '2026-11-23T17:30:00.000Z',
    ],
    [
      'after a digest of tomorrow, in another zone',
      '2026-11-22T12:00:00.000Z',
      berlin,
      '2026-11-23',
      '2026-11-24',
      '2026-11-24T17:30:00.000Z',
    ],
    [
      'without a chosen time',
      '2026-11-22T12:00:00.000Z',
      { ...berlin, time: null },
      null,
      '2026-11-23',
      '2026-11-23T07:00:00.000Z',
    ],
    [
      'if the zone skips tomorrow',
      '2011-12-30T09:00:00.000Z',
      { timeZone: 'Pacific/Apia', time: '08:00' },
      null,
      '2011-12-31',
      '2011-12-30T18:00:00.000Z',
    ],
  ])('%s', (_case, now, { time, timeZone }, lastDate, date, at) => {
    const digest = nextDigest({ now: new Date(now), time, timeZone, lastDate });
    expect(digest).toEqual({ date, at: new Date(at), endsAt: endOfLocalDay(date, timeZone) });
  });

  test('begins the next day and lasts for it if clocks skip the last hour of its own day', () => {
    const now = new Date('2026-03-28T12:00:00.000Z');
    expect(nextDigest({ now, time: '23:30', timeZone: 'America/Scoresbysund', lastDate: null })).toEqual({
      date: '2026-03-28',
      at: new Date('2026-03-29T01:00:00.000Z'),
      endsAt: new Date('2026-03-30T01:00:00.000Z'),
    });
  });

  test('is on the first day without a digest whose moment is ahead', () => {
    const hours = fc.double({ min: -60, max: 60, noNaN: true });
    const last = fc.option(fc.integer({ min: -3, max: 3 }));
    fc.assert(
      fc.property(place, hours, last, ({ timeZone, at, time }, hoursAfter, daysAfter) => {
        const now = new Date(at + Math.round(hoursAfter * 60) * minuteMs);
        const today = clockAt(now.getTime(), timeZone).slice(0, 10);
        const lastDate = daysAfter === null ? null : addDays(today, daysAfter);
        const expected = daysBetween(today, addDays(today, 6), timeZone).find(
          (day) => (lastDate === null || day > lastDate) && localMoment(day, time, timeZone) > now,
        );
        expect(nextDigest({ now, time, timeZone, lastDate }).date).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe('digestAfter', () => {
  test.each([
    ['the day after', '2026-11-22T17:30:01.000Z', '2026-11-22', '2026-11-23', '2026-11-23T17:30:00.000Z'],
    ['later today', '2026-11-25T12:00:00.000Z', '2026-11-22', '2026-11-25', '2026-11-25T17:30:00.000Z'],
    ['today, sent at once', '2026-11-25T20:00:00.000Z', '2026-11-22', '2026-11-25', '2026-11-25T17:30:00.000Z'],
    ['after a day of a zone ahead', '2026-11-22T12:00:00.000Z', '2026-11-23', '2026-11-24', '2026-11-24T17:30:00.000Z'],
  ])('%s', (_case, now, servedDate, date, at) => {
    const digest = digestAfter({ now: new Date(now), ...berlin, servedDate });
    expect(digest).toEqual({ date, at: new Date(at), endsAt: endOfLocalDay(date, berlin.timeZone) });
  });
});

test('every local day has one digest, in the order of the days, however late each is sent', () => {
  const lateness = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
    minLength: 12,
    maxLength: 12,
  });
  fc.assert(
    fc.property(place, lateness, ({ timeZone, at, time }, parts) => {
      const digests = [nextDigest({ now: new Date(at - 5 * dayMs), time, timeZone, lastDate: null })];
      for (const part of parts) {
        const { date, at: moment, endsAt } = digests.at(-1) ?? { date: '', at: new Date(0), endsAt: new Date(0) };
        expect(moment.getTime()).toBeLessThan(endsAt.getTime());
        const now = new Date(moment.getTime() + Math.floor(part * (endsAt.getTime() - moment.getTime())));
        digests.push(digestAfter({ now, time, timeZone, servedDate: date }));
      }
      const [first = '', last = ''] = [digests[0]?.date, digests.at(-1)?.date];
      expect(digests.map(({ date }) => date)).toEqual(daysBetween(first, last, timeZone));
      expect(digests.map((digest) => digest.at)).toEqual(digests.map(({ date }) => localMoment(date, time, timeZone)));
      const moments = digests.map((digest) => digest.at.getTime());
      expect(moments).toEqual([...new Set(moments)].sort((one, other) => one - other));
      expect(localDate(new Date(at), timeZone) > first && localDate(new Date(at), timeZone) < last).toBe(true);
    }),
    { numRuns: 500 },
  );
});
