import { expect, test } from '@jest/globals';
import { inTime, LateError } from '../../src/kernel/within.ts';

const after = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds, 'done'));

function blockLoop(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('what is late as the event loop was blocked is waited for', async () => {
  const answered = inTime(
    200,
    after(600).then(() => after(20)),
  );
  blockLoop(600);
  expect(await answered).toBe('done');
});

test('what does not settle in time is given up', async () => {
  await expect(inTime(20, new Promise(() => undefined))).rejects.toThrow(LateError);
});

test('what settles in time is answered, failures too', async () => {
  expect(await inTime(1_000, Promise.resolve(1))).toBe(1);
  await expect(inTime(1_000, Promise.reject(new TypeError('no')))).rejects.toThrow(TypeError);
});
