import { describe, expect, test } from '@jest/globals';
import { datesAfter, parseRule, plusInterval, printRule, RuleError } from '../rule.ts';
import { occurrencesAfter, setSeries } from '../series.ts';
import { momentOf } from '../zone.ts';
import { datesOf, take } from './dates.ts';
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

describe('the dates of a rule', () => {
  test.each(rfcExamples)('are those of RFC 5545: %s', (rule, listed) => {
    const dates = datesIn(listed);
    const [start = ''] = dates;
    const time = momentOf(start, '09:00', timeZone);
    const { recurrence } = setSeries({ rule }, { date: null, time }, { current: null, now: time, zone: timeZone });
    const next = [...take(/COUNT|UNTIL/.test(rule) ? 120 : dates.length - 1, occurrencesAfter(recurrence))];
    const shown = [recurrence, ...next].map(({ date }) => [date, momentOf(date, '09:00', timeZone)]);
    expect(shown).toEqual(dates.map((date) => [date, new Date(`${date}T09:00${offsetOn(date)}`)]));
  });

  test.each([
    ['FREQ=MONTHLY', '2030-01-31', '2030-03-31 2030-05-31'],
    ['FREQ=YEARLY', '2030-03-31', '2031-03-31 2032-03-31'],
    ['FREQ=YEARLY', '2028-02-29', '2032-02-29 2036-02-29'],
    // The next one is searched for in 20 years.
    ['FREQ=YEARLY;INTERVAL=20', '2030-01-01', '2050-01-01 2070-01-01'],
    ['FREQ=YEARLY;INTERVAL=20;BYDAY=1MO', '2030-01-07', '2050-01-03 none'],
    ['FREQ=YEARLY;INTERVAL=21', '2030-01-01', 'none'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '2030-01-01', 'none'],
    // The last Thursday of the month, and of the year.
    ['FREQ=YEARLY;BYMONTH=3;BYDAY=-1TH', '2030-01-01', '2030-03-28 2031-03-27'],
    ['FREQ=YEARLY;BYDAY=-1TH', '2030-01-01', '2030-12-26 2031-12-25'],
    // A week has days of two years.
    ['FREQ=WEEKLY;BYDAY=TU,SA;BYSETPOS=2', '2031-12-25', '2031-12-27 2032-01-03 2032-01-10'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=WE,TH;BYSETPOS=-1', '2031-12-18', '2032-01-01 2032-01-15'],
    ['FREQ=YEARLY;BYWEEKNO=20', '2030-05-16', '2031-05-15 2032-05-13 2033-05-19'],
    ['FREQ=YEARLY;BYWEEKNO=-1;BYDAY=MO', '2030-01-01', '2030-12-23 2031-12-22 2032-12-27'],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO', '2030-01-01', '2030-12-30 2031-12-29 2033-01-03 2034-01-02'],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=SA,SU;WKST=SU', '2030-01-06', '2030-12-29 2031-01-04 2032-01-04 2032-01-10'],
    ['FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU', '2026-01-01', '2027-01-03 2033-01-02 2038-01-03'],
    ['FREQ=YEARLY;BYYEARDAY=-366,-1', '2030-01-01', '2030-12-31 2031-12-31 2032-01-01 2032-12-31'],
    ['FREQ=YEARLY;BYWEEKNO=1;BYYEARDAY=-1', '2030-01-01', '2030-12-31 2031-12-31 2035-12-31 2036-12-31'],
    [
      'FREQ=YEARLY;BYWEEKNO=1;BYYEARDAY=365,366',
      '2010-01-01',
      '2012-12-31 2013-12-31 2014-12-31 2018-12-31 2019-12-31 2024-12-30 2024-12-31 2025-12-31',
    ],
    [
      'FREQ=YEARLY;BYWEEKNO=53;BYYEARDAY=-365,-366',
      '2068-01-01',
      '2072-01-01 2072-01-02 2077-01-01 2083-01-01 2089-01-01 2094-01-01 2100-01-01 2106-01-01',
    ],
  ])('of %s after %s are %s', (text, date, dates) => {
    expect(datesOf(text, date, dates.split(' ').length).join(' ')).toBe(dates.replace(/ ?none$/, ''));
  });
});

test('earlier dates are only counted', () => {
  const following = datesAfter(parseRule('FREQ=DAILY'), '2030-01-01', { number: 3, date: '2030-01-03' }, '2030-01-06');
  expect([...take(2, following)]).toEqual([
    { number: 6, date: '2030-01-06' },
    { number: 7, date: '2030-01-07' },
  ]);
});

test.each([
  'FREQ=DAILY',
  'FREQ=DAILY;INTERVAL=3',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
  'FREQ=YEARLY;BYMONTH=1,12;BYMONTHDAY=1,31',
  'FREQ=DAILY;UNTIL=20310616',
])('so are years of %s', (text) => {
  const first = { number: 1, date: '2000-01-02' };
  const after = (from?: string) => datesAfter(parseRule(text), first.date, first, from);
  const all = [...take(12_000, after())];
  for (const from of ['2031-06-15', '2031-12-31', '2032-01-01']) {
    const counted = all.filter(({ date }) => date >= from);
    expect([...take(3, after(from))]).toEqual(counted.slice(0, 3));
  }
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
    ['FREQ=DAILY;UNTIL=20301224T090000', 'FREQ=DAILY;UNTIL=20301224T090000'],
    [`FREQ=MONTHLY;BYMONTHDAY=${'01,'.repeat(158)}1`.padEnd(500, '1'), 'FREQ=MONTHLY;BYMONTHDAY=1,11'],
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
    ['FREQ=HOURLY', /FREQ=DAILY, WEEKLY, MONTHLY, YEARLY$/],
    ['FREQ=MINUTELY', /FREQ=/],
    ['FREQ=SECONDLY', /FREQ=/],
    ['FREQ=DAILY;BYHOUR=9', /BYHOUR/],
    ['FREQ=DAILY;BYMINUTE=9', /BYMINUTE/],
    ['FREQ=DAILY;BYSECOND=9', /BYSECOND/],
    ['RSCALE=GREGORIAN;FREQ=DAILY', /RSCALE/],
    ['FREQ=MONTHLY;SKIP=OMIT', /SKIP/],
    ['FREQ=DAILY;X-NAME=1', /X-NAME/],
    ['FREQ=DAILY;RRULE:COUNT=1', /with ; between/],
    ['FREQ=DAILY;__PROTO__=1', /with ; between/],
    ['FREQ=DAILY;CONSTRUCTOR=1', /CONSTRUCTOR/],
    ['FREQ=DAILY;FREQ=WEEKLY', /FREQ only once/],
    ['FREQ=DAILY;COUNT=1;COUNT=1', /COUNT only once/],
    ['FREQ=DAILY;ıNTERVAL=2', /with ; between/],
    ['FREQ=DAILY;WKST=XX', /MO, TU, WE, TH, FR, SA, SU in WKST/],
    ['FREQ=DAILY;BYWEEKNO=1', /BYWEEKNO unless FREQ is YEARLY/],
    ['FREQ=WEEKLY;BYWEEKNO=1', /BYWEEKNO unless FREQ is YEARLY/],
    ['FREQ=MONTHLY;BYWEEKNO=1', /BYWEEKNO unless FREQ is YEARLY/],
    ['FREQ=DAILY;BYYEARDAY=1', /BYYEARDAY unless FREQ is YEARLY/],
    ['FREQ=WEEKLY;BYYEARDAY=1', /BYYEARDAY unless FREQ is YEARLY/],
    ['FREQ=MONTHLY;BYYEARDAY=1', /BYYEARDAY unless FREQ is YEARLY/],
    ['FREQ=WEEKLY;BYMONTHDAY=1', /BYMONTHDAY if FREQ is WEEKLY/],
    ['FREQ=DAILY;BYDAY=1MO', /numbers in BYDAY unless/],
    ['FREQ=WEEKLY;BYDAY=-1MO', /numbers in BYDAY unless/],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO', /numbers in BYDAY with BYWEEKNO/],
    ['FREQ=MONTHLY;BYSETPOS=1', /BYSETPOS without/],
    ['FREQ=DAILY;COUNT=2;UNTIL=20301224', /COUNT with UNTIL/],
    [`FREQ=MONTHLY;BYMONTHDAY=${'1,'.repeat(250)}1`, /at most 500/],
  ])('is refused: %s', (text, message) => {
    expect(() => parseRule(text)).toThrow(RuleError);
    expect(() => parseRule(text)).toThrow(
      expect.objectContaining({ field: 'rule', message: expect.stringMatching(message) }),
    );
  });
});

describe('bad values are refused', () => {
  const notNumbers = `0|-0|1.5|1e1|0x1|| 1|1 |+|--1|１|٣|${'9'.repeat(400)}|NaN|1,|,1|1,,2|X1|1X`;
  test.each([
    ['INTERVAL', `${notNumbers}|1001|-1|+1|1,2`],
    ['COUNT', `${notNumbers}|10001|-1|+1|1,2`],
    ['BYMONTH', `${notNumbers}|13|-1|+1`],
    ['BYWEEKNO', `${notNumbers}|54|-54`],
    ['BYYEARDAY', `${notNumbers}|367|-367`],
    ['BYMONTHDAY', `${notNumbers}|32|-32`],
    ['BYSETPOS', `${notNumbers}|367|-367`],
    ['BYDAY', 'MON|M|mo-|0MO|54MO|-54MO|1.5MO|MO1|1|1 MO|１MO||,|MO,|XX|+MO|--1MO'],
    ['FREQ', 'NEVER|DAILY,WEEKLY|1|ＤＡＩＬＹ|__proto__|constructor'],
    ['WKST', '|1MO|MO,TU|XX|0'],
    ['UNTIL', '2040|20400230|20401301|020301224|-20400101|2040-01-02|２０４００１０２'],
    ['UNTIL', '20400101T|20400101T250000|20400101T240000Z|20400101T006000|20400101T000060'],
    ['UNTIL', '20400101T0000|20400101Z|20400101T000000+0100'],
  ])('in %s: %s', (part, values) => {
    const others = { FREQ: '', BYSETPOS: 'FREQ=YEARLY;BYMONTH=1;' }[part] ?? 'FREQ=YEARLY;';
    const message = expect.stringMatching(new RegExp(`${part}|parts like`));
    for (const value of values.split('|')) {
      expect(() => parseRule(`${others}${part}=${value}`)).toThrow(expect.objectContaining({ field: 'rule', message }));
    }
  });
});

test.each([
  ['FREQ=DAILY;INTERVAL=3', '2030-02-27', '2030-03-02'],
  ['FREQ=WEEKLY;INTERVAL=2', '2030-12-24', '2031-01-07'],
  ['FREQ=MONTHLY', '2030-01-31', '2030-02-28'],
  ['FREQ=MONTHLY;INTERVAL=13', '2030-12-31', '2032-01-31'],
  ['FREQ=YEARLY', '2028-02-29', '2029-02-28'],
  ['FREQ=MONTHLY;INTERVAL=240', '2030-01-31', '2050-01-31'],
  ['FREQ=MONTHLY;INTERVAL=241', '2030-01-31', undefined],
  ['FREQ=YEARLY;INTERVAL=21', '2030-01-31', undefined],
  ['FREQ=DAILY', '9999-12-30', '9999-12-31'],
  ['FREQ=DAILY', '9999-12-31', undefined],
])('%s after a completion on %s comes again on %s', (rule, day, next) => {
  expect(plusInterval(parseRule(rule), day)).toBe(next);
});
