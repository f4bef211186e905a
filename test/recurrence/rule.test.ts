import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dateOf, datesAfter, dayOf, parseRule, plusInterval, printRule, RuleError } from '../../src/recurrence/rule.ts';
import { occurrencesAfter, setSeries } from '../../src/recurrence/series.ts';
import { momentOf } from '../../src/recurrence/zone.ts';
import { datesByDefinition, randomRule } from './oracle.ts';
import { datesIn, rfcExamples } from './rfc-examples.ts';

const timeZone = 'America/New_York';

const daylightSaving = [
  ['1997-04-06', '1997-10-26'],
  ['1998-04-05', '1998-10-25'],
  ['1999-04-04', '1999-10-31'],
  ['2000-04-02', '2000-10-29'],
  ['2001-04-01', '2001-10-28'],
  ['2002-04-07', '2002-10-27'],
  ['2003-04-06', '2003-10-26'],
  ['2004-04-04', '2004-10-31'],
  ['2005-04-03', '2005-10-30'],
  ['2006-04-02', '2006-10-29'],
  ['2007-03-11', '2007-11-04'],
] as const;
/** EDT or EST, after 02:00. */
const offsetOn = (date: string) =>
  daylightSaving.some(([first, end]) => first <= date && date < end) ? '-04:00' : '-05:00';

function* take<Value>(count: number, values: Iterable<Value>) {
  let left = count;
  for (const value of values) {
    if (left-- === 0) return;
    yield value;
  }
}

describe('the dates of a rule', () => {
  test.each(rfcExamples)('are those of RFC 5545: %s', (rule, listed) => {
    const dates = datesIn(listed);
    const [start = ''] = dates;
    const time = momentOf(start, '09:00', timeZone);
    const { series } = setSeries({ rule }, { date: null, time }, { current: null, now: time, zone: timeZone });
    const next = [...take(/COUNT|UNTIL/.test(rule) ? 120 : dates.length - 1, occurrencesAfter(series))];
    const shown = [series, ...next].map(({ date }) => [date, momentOf(date, '09:00', timeZone)]);
    expect(shown).toEqual(dates.map((date) => [date, new Date(`${date}T09:00${offsetOn(date)}`)]));
  });

  test('are those of its definition, for any rule and start', () => {
    const start = fc.date({ min: new Date('1995-01-01'), max: new Date('2045-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(randomRule, start, (text, from) => {
        const day = from.toISOString().slice(0, 10);
        const first = { number: 1, date: day };
        const dates = [...take(8, datesAfter(parseRule(text), day, first))].map(({ date }) => date);
        expect(dates).toEqual(datesByDefinition(text, day, 8));
      }),
      { numRuns: 15 },
    );
  });

  test('keep their numbers if earlier ones are left out', () => {
    const day = fc.date({ min: new Date('0001-01-01'), max: new Date('2400-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(randomRule, day, fc.nat(400), (text, from, days) => {
        const first = { number: 7, date: from.toISOString().slice(0, 10) };
        const [rule, later] = [parseRule(text), dateOf(dayOf(first.date) + days)];
        const all = [...take(50, datesAfter(rule, first.date, first))];
        const shown = all.filter(({ date }) => date >= later);
        expect([...take(shown.length, datesAfter(rule, first.date, first, later))]).toEqual(shown);
      }),
      { numRuns: 15 },
    );
  });
});

describe('a rule', () => {
  test.each([
    ['freq=weekly;byday=th,mo', 'FREQ=WEEKLY;BYDAY=MO,TH'],
    ['RRULE:FREQ=DAILY;INTERVAL=1;WKST=MO', 'FREQ=DAILY'],
    ['UNTIL=20301224;BYDAY=FR,-1SU,+2MO,FR,1TU;FREQ=MONTHLY', 'FREQ=MONTHLY;BYDAY=-1SU,FR,1TU,2MO;UNTIL=20301224'],
    [
      'COUNT=10000;WKST=SU;BYSETPOS=3,-1;BYMONTHDAY=31,-2,05,5;BYYEARDAY=366,-366;BYMONTH=12,01;INTERVAL=1000;FREQ=YEARLY',
      'FREQ=YEARLY;INTERVAL=1000;BYMONTH=1,12;BYYEARDAY=-366,366;BYMONTHDAY=-2,5,31;BYSETPOS=-1,3;WKST=SU;COUNT=10000',
    ],
    ['FREQ=YEARLY;BYWEEKNO=53,-53,1;BYDAY=SU,MO', 'FREQ=YEARLY;BYWEEKNO=-53,1,53;BYDAY=MO,SU'],
  ])('%s is printed as %s', (text, canonical) => {
    expect(printRule(parseRule(text))).toBe(canonical);
    expect(printRule(parseRule(canonical))).toBe(canonical);
  });

  test.each([
    ['', /FREQ=DAILY/],
    ['DAILY', /FREQ=DAILY/],
    ['FREQ=DAILY;', /with ; between/],
    [';FREQ=DAILY', /with ; between/],
    ['FREQ=DAILY;COUNT', /with ; between/],
    ['FREQ=DAILY;COUNT=', /with ; between/],
    ['FREQ= DAILY', /FREQ=/],
    ['FREQ=DAILY=1', /with ; between/],
    ['RRULE:RRULE:FREQ=DAILY', /with ; between/],
    ['INTERVAL=2', /FREQ=/],
    ['FREQ=HOURLY', /FREQ=/],
    ['FREQ=MINUTELY', /FREQ=/],
    ['FREQ=SECONDLY', /FREQ=/],
    ['FREQ=DAILY;BYHOUR=9', /BYHOUR/],
    ['FREQ=DAILY;BYMINUTE=9', /BYMINUTE/],
    ['FREQ=DAILY;BYSECOND=9', /BYSECOND/],
    ['RSCALE=GREGORIAN;FREQ=DAILY', /RSCALE/],
    ['FREQ=MONTHLY;SKIP=OMIT', /SKIP/],
    ['FREQ=DAILY;X-NAME=1', /X-NAME/],
    ['FREQ=DAILY;__PROTO__=1', /with ; between/],
    ['FREQ=DAILY;CONSTRUCTOR=1', /CONSTRUCTOR/],
    ['FREQ=DAILY;FREQ=WEEKLY', /FREQ only once/],
    ['FREQ=DAILY;COUNT=1;COUNT=1', /COUNT only once/],
    ['FREQ=DAILY;INTERVAL=0', /INTERVAL/],
    ['FREQ=DAILY;INTERVAL=1001', /INTERVAL/],
    ['FREQ=DAILY;INTERVAL=-1', /INTERVAL/],
    ['FREQ=DAILY;INTERVAL=1.5', /INTERVAL/],
    ['FREQ=DAILY;INTERVAL=１', /with ; between/],
    ['FREQ=DAILY;ıNTERVAL=2', /with ; between/],
    ['FREQ=DAILY;INTERVAL=1e2', /INTERVAL/],
    ['FREQ=DAILY;COUNT=0', /COUNT/],
    ['FREQ=DAILY;COUNT=10001', /COUNT/],
    ['FREQ=DAILY;COUNT=+1', /COUNT/],
    ['FREQ=DAILY;UNTIL=2030-12-24', /UNTIL/],
    ['FREQ=DAILY;UNTIL=20300230', /UNTIL/],
    ['FREQ=DAILY;UNTIL=20301224T240000Z', /UNTIL/],
    ['FREQ=DAILY;UNTIL=20301224T0900', /UNTIL/],
    ['FREQ=DAILY;UNTIL=20301224Z', /UNTIL/],
    ['FREQ=DAILY;WKST=XX', /WKST/],
    ['FREQ=DAILY;WKST=MO,TU', /WKST/],
    ['FREQ=YEARLY;BYMONTH=0', /BYMONTH/],
    ['FREQ=YEARLY;BYMONTH=13', /BYMONTH/],
    ['FREQ=YEARLY;BYMONTH=-1', /BYMONTH/],
    ['FREQ=YEARLY;BYWEEKNO=54', /BYWEEKNO/],
    ['FREQ=YEARLY;BYYEARDAY=367', /BYYEARDAY/],
    ['FREQ=MONTHLY;BYMONTHDAY=32', /BYMONTHDAY/],
    ['FREQ=MONTHLY;BYMONTHDAY=0', /BYMONTHDAY/],
    ['FREQ=MONTHLY;BYMONTHDAY=1,,2', /BYMONTHDAY/],
    ['FREQ=MONTHLY;BYDAY=0MO', /BYDAY/],
    ['FREQ=MONTHLY;BYDAY=54MO', /BYDAY/],
    ['FREQ=MONTHLY;BYDAY=MON', /BYDAY/],
    ['FREQ=MONTHLY;BYDAY=M', /BYDAY/],
    ['FREQ=MONTHLY;BYDAY=1', /BYDAY/],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=367', /BYSETPOS/],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', /BYSETPOS/],
    ['FREQ=DAILY;BYWEEKNO=1', /BYWEEKNO unless FREQ is YEARLY/],
    ['FREQ=WEEKLY;BYWEEKNO=1', /BYWEEKNO unless FREQ is YEARLY/],
    ['FREQ=MONTHLY;BYWEEKNO=1', /BYWEEKNO unless FREQ is YEARLY/],
    ['FREQ=DAILY;BYYEARDAY=1', /BYYEARDAY unless FREQ is YEARLY/],
    ['FREQ=WEEKLY;BYYEARDAY=1', /BYYEARDAY unless FREQ is YEARLY/],
    ['FREQ=MONTHLY;BYYEARDAY=1', /BYYEARDAY unless FREQ is YEARLY/],
    ['FREQ=WEEKLY;BYMONTHDAY=1', /BYMONTHDAY if FREQ is WEEKLY/],
    ['FREQ=DAILY;BYDAY=1MO', /numbers in BYDAY unless/],
    ['FREQ=WEEKLY;BYDAY=-1MO', /numbers in BYDAY unless/],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO', /numbers in BYDAY together with BYWEEKNO/],
    ['FREQ=MONTHLY;BYSETPOS=1', /BYSETPOS without/],
    ['FREQ=DAILY;COUNT=2;UNTIL=20301224', /COUNT together with UNTIL/],
    [`FREQ=MONTHLY;BYMONTHDAY=${'1,'.repeat(250)}1`, /at most 500/],
  ])('is refused: %s', (text, message) => {
    expect(() => parseRule(text)).toThrow(RuleError);
    expect(() => parseRule(text)).toThrow(message);
  });

  test('is printed so that it is read again, with the same dates', () => {
    fc.assert(
      fc.property(randomRule, (text) => {
        const rule = parseRule(text);
        expect(parseRule(printRule(rule))).toEqual(rule);
      }),
    );
  });
});

test.each([
  ['FREQ=DAILY;INTERVAL=3', '2030-02-27', '2030-03-02'],
  ['FREQ=WEEKLY;INTERVAL=2', '2030-12-24', '2031-01-07'],
  ['FREQ=MONTHLY', '2030-01-31', '2030-02-28'],
  ['FREQ=MONTHLY;INTERVAL=13', '2030-12-31', '2032-01-31'],
  ['FREQ=YEARLY', '2028-02-29', '2029-02-28'],
  ['FREQ=DAILY', '9999-12-31', undefined],
])('%s after a completion on %s comes again on %s', (rule, day, next) => {
  expect(plusInterval(parseRule(rule), day)).toBe(next);
});
