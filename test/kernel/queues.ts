import { FairQueue, type FairQueuePolicy } from '../../src/kernel/fair-queue.ts';

export const policy: FairQueuePolicy = { name: 'test', slots: 2, idle: 'all' };

/** A queue whose refusals fail no test if it has ended before them. */
export class TestQueue extends FairQueue {
  override run<Result>(...args: Parameters<typeof FairQueue.prototype.run<Result>>): Promise<Result> {
    const result = super.run(...args);
    result.catch(() => undefined);
    return result;
  }
}

/** Work that continues until it is ended. */
export function work() {
  let end = () => {};
  let hasBegun = false;
  const done = new Promise<void>((resolve) => (end = resolve));
  const start = () => {
    hasBegun = true;
    return done;
  };
  return { start, end: () => end(), hasBegun: () => hasBegun };
}

/** Lets what is ready continue, for a number of promise steps. */
export const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
};
