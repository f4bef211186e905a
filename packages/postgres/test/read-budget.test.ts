import { expect, test } from '@jest/globals';
import { maxResponseBytes } from '@taskgate/work';
import { budgetOf } from '../read-budget.ts';

test('a budget outside of operations, which nobody releases, takes no room of others', () => {
  const budget = budgetOf({});
  budget.countRead(maxResponseBytes);
  expect(budget).toMatchObject({ isHolding: false, refusal: undefined });
  expect(() => {
    budget.countRead(1);
    budget.requireOpen();
  }).toThrow('MiB');
});
