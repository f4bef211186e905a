import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { datesAfter, parseRule } from '../rule.ts';
import { describeIf } from '../../../test/kit/where-installed.ts';
import { datesOf } from './dates.ts';
import { datesByDefinition, randomRule } from './oracle.ts';

const count = 8;

const start = fc
  .date({ min: new Date('1995-01-01'), max: new Date('2045-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

/** Whether python-dateutil is right about a rule. */
function isRight(rule: string): boolean {
  const has = (pattern: RegExp) => pattern.test(rule);
  const hasNumberedAndPlainDays = has(/BYDAY=([^;]*,)?[A-Z]/) && has(/BYDAY=([^;]*,)?[-\d]/);
  const isSetOfWeek = has(/WEEKLY.*BYSETPOS/);
  const hasTurnOfYear = has(/BYWEEKNO=([^;]*,)?-?(1|5[123])\b/);
  return !hasNumberedAndPlainDays && !isSetOfWeek && !hasTurnOfYear && (!has(/BYWEEKNO/) || has(/BYDAY/));
}

/** The dates until one has none in the 20 years after it. */
function withoutGaps(first: string, dates: string[]): string[] {
  const end = dates.findIndex((date, index) => {
    const [year = '', ...day] = (dates[index - 1] ?? first).split('-');
    return date > [Number(year) + 20, ...day].join('-');
  });
  return end < 0 ? dates : dates.slice(0, end);
}

const cases = fc
  .sample(fc.tuple(randomRule, start), 10_000)
  // Python would search a date that does not exist up to the year 9999.
  .map(([rule, first]) => ({ rule: `${rule};UNTIL=${Number(first.slice(0, 4)) + 60}1231`, first }));
const own = (list: typeof cases) => list.map((each) => ({ ...each, dates: datesOf(each.rule, each.first, count) }));

test('random rules have the dates of their definition, if python-dateutil is wrong about them', () => {
  const chosen = cases.filter(({ rule }) => !isRight(rule));
  expect(own(chosen)).toEqual(
    chosen.map(({ rule, first }) => {
      const dates = datesByDefinition(rule.replace(/;UNTIL=.*/, ''), first, count);
      return { rule, first, dates };
    }),
  );
});

test('the next date is found after two thousand years', () => {
  const first = { number: 1, date: '0001-01-01' };
  const { value } = datesAfter(parseRule('FREQ=DAILY'), first.date, first, '2026-11-25').next();
  expect(value).toEqual({ number: 739_945, date: '2026-11-25' });
});

const hasPackage = spawnSync('python3', ['-c', 'import dateutil.rrule']).status === 0;
describeIf(hasPackage, 'python3-dateutil')('python3-dateutil', () => {
  test('has the dates of the other random rules', () => {
    const chosen = cases.filter(({ rule }) => isRight(rule));
    const { stdout, stderr } = spawnSync('python3', [path.join(import.meta.dirname, 'dateutil-dates.py')], {
      input: chosen.map(({ rule, first }) => `${rule} ${first}\n`).join(''),
      encoding: 'utf8',
      maxBuffer: 100_000_000,
    });
    expect(stderr).toBe('');
    const lines = stdout.split('\n');
    expect(own(chosen)).toEqual(
      chosen.map((each, index) => {
        const dates = (lines[index] ?? '').split(',').filter(Boolean);
        return { ...each, dates: withoutGaps(each.first, dates) };
      }),
    );
  });
});
