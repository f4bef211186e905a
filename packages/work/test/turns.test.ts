import { expect, test } from '@jest/globals';
import { idleRequests } from '../load.ts';
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

test('requests that wait behind their own account are no load for others', async () => {
  const turns = new Turns();
  const before = idleRequests();
  const idle = () => idleRequests() - before;
  const taken = [
    ...['anna', 'anna', 'anna', 'ben'].map((key) => turns.next(key, true, true)),
    // An event of a subscription is no request.
    turns.next('anna', true),
  ];
  expect(idle()).toBe(2);
  await taken[0];
  expect(idle()).toBe(1);
  await Promise.all(taken);
  expect(idle()).toBe(0);
});
