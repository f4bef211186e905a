import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dateOf, datesAfter, dayOf, parseRule, printRule } from '../rule.ts';
import { datesOf, take } from './dates.ts';
import { datesByDefinition, randomRule } from './oracle.ts';

test('the dates are those of its definition, for any rule and start', () => {
  const start = fc.date({ min: new Date('1995-01-01'), max: new Date('2045-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(randomRule, start, (text, from) => {
      const day = from.toISOString().slice(0, 10);
      expect(datesOf(text, day, 8)).toEqual(datesByDefinition(text, day, 8));
    }),
    { numRuns: 15 },
  );
});

test('the dates keep their numbers if earlier ones are left out', () => {
  const day = fc.date({ min: new Date('0001-01-01'), max: new Date('2400-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(randomRule, day, fc.nat(400), (text, from, days) => {
      const first = { number: 7, date: from.toISOString().slice(0, 10) };
      const [rule, later] = [parseRule(text), dateOf(dayOf(first.date) + days)];
      const all = [...take(50, datesAfter(rule, first.date, first))];
      const shown = [...take(50, datesAfter(rule, first.date, first, later))];
      const expected = all.filter(({ date }) => date >= later);
      expect(shown.slice(0, expected.length)).toEqual(expected);
    }),
    { numRuns: 15 },
  );
});

test('a rule is printed so that it is read again', () => {
  fc.assert(
    fc.property(randomRule, (text) => {
      const rule = parseRule(text);
      expect(parseRule(printRule(rule))).toEqual(rule);
    }),
  );
});
