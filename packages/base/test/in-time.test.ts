import { expect, test } from '@jest/globals';
import { inTime, LateError } from '../in-time.ts';

const after = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds, 'done'));

function blockLoop(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('waits for work that is late because the event loop was blocked', async () => {
  const answered = inTime(
    200,
    after(600).then(() => after(20)),
  );
  blockLoop(600);
  expect(await answered).toBe('done');
});

test('gives up work that does not settle in time', async () => {
  await expect(inTime(20, new Promise(() => undefined))).rejects.toThrow(LateError);
});

test('returns the outcome of work that settles in time, also a failure', async () => {
  expect(await inTime(1_000, Promise.resolve(1))).toBe(1);
  await expect(inTime(1_000, Promise.reject(new TypeError('no')))).rejects.toThrow(TypeError);
});
