import { getMaxListeners } from 'node:events';
import { expect, test } from '@jest/globals';
import { Cancellation, Deadlines } from '../cancellation.ts';

test('any number of fields can listen to the signals of an operation without a warning of a leak', () => {
  const cancellation = new Cancellation(new Deadlines());
  expect([getMaxListeners(cancellation.signal), getMaxListeners(cancellation.hangUpSignal)]).toEqual([
    Infinity,
    Infinity,
  ]);
  cancellation.lift();
});
