import { jest } from '@jest/globals';
import type { FairKey } from '../group-counts.ts';
import type { FairQueuePolicy } from '../fair-queue-policy.ts';
import { FairQueue } from '../fair-queue.ts';

export const policy: FairQueuePolicy = { name: 'test', slots: 2, toleratedWaiting: 0, idle: 'all' };

/** Handles rejections of work that is still queued at the end of a test. */
export class TestQueue extends FairQueue {
  override run<Result>(...args: Parameters<typeof FairQueue.prototype.run<Result>>): Promise<Result> {
    const result = super.run(...args);
    result.catch(() => undefined);
    return result;
  }
}

export function work() {
  let end = () => {};
  let hasBegun = false;
  const finished = new Promise<void>((resolve) => (end = resolve));
  const start = () => {
    hasBegun = true;
    return finished;
  };
  return { start, end: () => end(), hasBegun: () => hasBegun };
}

export const runMicrotasks = async (count = 20) => {
  for (let round = 0; round < count; round += 1) await Promise.resolve();
};

/** Gives a test its own clock, for `performance.now()` and timers. */
export function withClock(run: (advance: (ms: number) => Promise<void>) => Promise<void>) {
  return async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      await run(async (ms) => {
        await jest.advanceTimersByTimeAsync(ms);
        await runMicrotasks();
      });
    } finally {
      jest.useRealTimers();
    }
  };
}

/** Runs work for some milliseconds. @returns the keys in order of their start */
export function recorder(queue: FairQueue) {
  const started: string[] = [];
  const add = (key: FairKey, ms: number, label = String(key)) =>
    queue.run(key, async () => {
      started.push(label);
      await new Promise((resolve) => setTimeout(resolve, ms));
    });
  return { started, add };
}
