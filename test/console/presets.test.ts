import { describe, expect, test } from '@jest/globals';
import { movedRule, type Preset, presetOf, ruleOf, withEnd } from '../../console/src/app/presets.ts';
import { parseRule, plusInterval, printRule } from '../../packages/recurrence/rule.ts';
import { summaryOf } from '../../packages/recurrence/summary.ts';
import { datesOf } from '../../packages/recurrence/test/dates.ts';

const table: [Preset, start: string, rule: string, summary: string, dates: string[]][] = [
  ['daily', '2030-01-31', 'FREQ=DAILY', 'Every day', ['2030-02-01', '2030-02-02']],
  ['weekdays', '2030-01-31', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'Every weekday', ['2030-02-01', '2030-02-04']],
  ['weekly', '2030-01-31', 'FREQ=WEEKLY', 'Every week on Thursday', ['2030-02-07', '2030-02-14']],
  ['monthly', '2030-01-28', 'FREQ=MONTHLY', 'Every month on the 28th', ['2030-02-28', '2030-03-28']],
  [
    'monthly',
    '2028-01-29',
    'FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=-1',
    'Every month on the 29th or the last day before',
    ['2028-02-29', '2028-03-29'],
  ],
  [
    'monthly',
    '2030-01-30',
    'FREQ=MONTHLY;BYMONTHDAY=28,29,30;BYSETPOS=-1',
    'Every month on the 30th or the last day before',
    ['2030-02-28', '2030-03-30'],
  ],
  [
    'monthly',
    '2030-01-31',
    'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1',
    'Every month on the 31st or the last day before',
    ['2030-02-28', '2030-03-31', '2030-04-30'],
  ],
  ['monthEnd', '2030-01-15', 'FREQ=MONTHLY;BYMONTHDAY=-1', 'Every month on the last day', ['2030-01-31', '2030-02-28']],
  ['yearly', '2028-02-28', 'FREQ=YEARLY', 'Every year on 28 February', ['2029-02-28', '2030-02-28']],
  [
    'yearly',
    '2028-02-29',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1',
    'By the rule FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1',
    ['2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29'],
  ],
];

test.each(table)('the preset %s from %s is %s, “%s”', (preset, start, rule, summary, dates) => {
  expect(ruleOf(preset, start)).toBe(rule);
  expect(printRule(parseRule(rule))).toBe(rule);
  expect(summaryOf({ rule, basis: 'SCHEDULE', start })).toBe(summary);
  expect(datesOf(rule, start, dates.length)).toEqual(dates);
  expect(presetOf(rule, start)).toBe(preset);
  // A later occurrence that starts the series again.
  for (const date of dates) expect(presetOf(rule, date)).toBe(preset);
  expect(presetOf(`${rule};COUNT=3`, start)).toBe(preset);
  expect(presetOf(withEnd(`${rule};COUNT=3`, ';UNTIL=20401231'), start)).toBe(preset);
});

test('from each day of four years, no month and no year is left out', () => {
  for (let time = Date.UTC(2028, 0, 1); time < Date.UTC(2032, 0, 1); time += 86_400_000) {
    const start = new Date(time).toISOString().slice(0, 10);
    const month = Number(start.slice(0, 4)) * 12 + Number(start.slice(5, 7));
    const months = datesOf(ruleOf('monthly', start) ?? '', start, 14).map(
      (date) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)),
    );
    expect(months).toEqual(months.map((_month, index) => month + 1 + index));
    const years = datesOf(ruleOf('yearly', start) ?? '', start, 5).map((date) => Number(date.slice(0, 4)));
    expect(years).toEqual(years.map((_year, index) => Number(start.slice(0, 4)) + 1 + index));
  }
});

test('from completions, presets are plain intervals', () => {
  for (const preset of ['daily', 'weekly', 'monthly', 'yearly'] as const) {
    const rule = ruleOf(preset, undefined) ?? '';
    expect(rule).toMatch(/^FREQ=[A-Z]+$/);
    expect(presetOf(rule, undefined)).toBe(preset);
    expect(plusInterval(parseRule(rule), '2028-02-29')).toBeDefined();
  }
});

describe('rules of other clients', () => {
  test.each<[string, string, Preset]>([
    ['FREQ=WEEKLY;BYDAY=MO', '2030-01-07', 'weekly'],
    ['FREQ=WEEKLY;BYDAY=MO', '2030-01-08', 'custom'],
    ['FREQ=DAILY;BYDAY=MO', '2030-01-07', 'custom'],
    ['FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR', '2030-01-07', 'weekdays'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU,WE,TH,FR', '2030-01-07', 'custom'],
    ['FREQ=MONTHLY;BYMONTHDAY=15', '2030-01-15', 'monthly'],
    ['FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=25', '2030-11-25', 'yearly'],
    ['FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=29', '2030-03-29', 'yearly'],
    ['FREQ=MONTHLY;INTERVAL=12', '2030-11-25', 'custom'],
    // These leave months or years out.
    ['FREQ=MONTHLY', '2030-01-31', 'custom'],
    ['FREQ=MONTHLY;BYMONTHDAY=31', '2030-01-31', 'custom'],
    ['FREQ=YEARLY', '2028-02-29', 'custom'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', '2028-02-29', 'custom'],
    ['FREQ=DAILY;BYMONTHDAY=28,29;BYSETPOS=-1', '2028-02-29', 'custom'],
    ['FREQ=DAILY;INTERVAL=2', '2030-01-07', 'custom'],
    ['FREQ=MONTHLY;BYDAY=-1FR', '2030-01-25', 'custom'],
  ])('%s from %s is %s', (rule, start, preset) => {
    expect(presetOf(rule, start)).toBe(preset);
  });
});

test.each([
  ['FREQ=WEEKLY;BYDAY=MO', '2030-01-07', '2030-01-09', 'FREQ=WEEKLY'],
  ['FREQ=WEEKLY;BYDAY=MO;COUNT=3', '2030-01-07', '2030-01-09', 'FREQ=WEEKLY;COUNT=3'],
  ['FREQ=WEEKLY;BYDAY=MO,TH', '2030-01-07', '2030-01-09', 'FREQ=WEEKLY;BYDAY=MO,TH'],
  ['FREQ=MONTHLY', '2030-01-15', '2030-01-31', 'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1'],
  ['FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1', '2030-01-31', '2030-03-05', 'FREQ=MONTHLY'],
  ['FREQ=MONTHLY;BYMONTHDAY=-1', '2030-01-31', '2030-03-05', 'FREQ=MONTHLY;BYMONTHDAY=-1'],
  ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1', '2028-02-29', '2028-03-01', 'FREQ=YEARLY'],
  ['FREQ=MONTHLY;BYMONTHDAY=28,29;BYSETPOS=-1;UNTIL=20301231', '2030-01-29', undefined, 'FREQ=MONTHLY;UNTIL=20301231'],
  ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', '2030-01-07', undefined, 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR'],
  ['FREQ=MONTHLY', undefined, '2030-01-31', 'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1'],
])('%s from %s, moved to %s, is %s', (rule, from, to, moved) => {
  expect(movedRule(rule, from, to)).toBe(moved);
});
