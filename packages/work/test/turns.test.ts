import { expect, test } from '@jest/globals';
import { Turns } from '../turns.ts';

test('turns of the event loop are round-robin by key, and in the order of arrival for a key', async () => {
  const turns = new Turns();
  const taken: string[] = [];
  const take = (key: string, label: string) => turns.next(key).then(() => taken.push(label));
  const many = Array.from({ length: 100 }, (_, at) => take('many', `many ${at}`));
  await Promise.all([take('one', 'one'), take('other', 'other 0'), take('other', 'other 1')]);
  expect(taken.slice(0, 5)).toEqual(['many 0', 'one', 'other 0', 'many 1', 'other 1']);
  await Promise.all(many);
  expect(taken.filter((label) => label.startsWith('many'))).toEqual(
    Array.from({ length: 100 }, (_, at) => `many ${at}`),
  );
});
