import { datesAfter, parseRule } from '../rule.ts';

export function* take<Value>(count: number, values: Iterable<Value>): Generator<Value> {
  let left = count;
  for (const value of values) {
    yield value;
    if (--left === 0) return;
  }
}

/** The first dates of a rule after its start. */
export const datesOf = (rule: string, start: string, count: number): string[] =>
  [...take(count, datesAfter(parseRule(rule), start, { number: 1, date: start }))].map(({ date }) => date);
