import { measureLoad } from './load.ts';

const perTurn = 10;

const waiting = new Map<string, (() => void)[]>();
let isScheduled = false;

measureLoad('event_loop', {
  get load() {
    return { running: 0, waiting: [...waiting.values()].reduce((sum, { length }) => sum + length, 0) };
  },
});

/**
 * Waits for a turn of the event loop. An event may start a thousand jobs, such as subscriptions. A few continue in each
 * turn, round-robin by key, and other requests come in between.
 * @param key account or socket
 */
export function nextTurn(key: string): Promise<void> {
  return new Promise((resolve) => {
    const jobs = waiting.get(key);
    if (jobs) jobs.push(resolve);
    else waiting.set(key, [resolve]);
    if (!isScheduled) setImmediate(takeTurn);
    isScheduled = true;
  });
}

function takeTurn(): void {
  let count = 0;
  for (const [key, jobs] of waiting) {
    if (count++ === perTurn) break;
    waiting.delete(key);
    jobs.shift()?.();
    if (jobs.length > 0) waiting.set(key, jobs);
  }
  isScheduled = waiting.size > 0;
  if (isScheduled) setImmediate(takeTurn);
}
