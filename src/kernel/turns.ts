import { measureLoad } from './load.ts';

/** Small jobs in one turn. */
const perTurn = 10;

interface Job {
  readonly start: () => void;
  readonly size: number;
}

const waiting = new Map<string, Job[]>();
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
 * @param isLarge whether the job needs the event loop for milliseconds: it gets a turn of its own
 */
export function nextTurn(key: string, isLarge = false): Promise<void> {
  return new Promise((start) => {
    const jobs = waiting.get(key);
    const job = { start, size: isLarge ? perTurn : 1 };
    if (jobs) jobs.push(job);
    else waiting.set(key, [job]);
    if (!isScheduled) setImmediate(takeTurn);
    isScheduled = true;
  });
}

function takeTurn(): void {
  let size = 0;
  for (const [key, jobs] of waiting) {
    if (size >= perTurn) break;
    waiting.delete(key);
    const job = jobs.shift();
    job?.start();
    size += job?.size ?? 0;
    if (jobs.length > 0) waiting.set(key, jobs);
  }
  isScheduled = waiting.size > 0;
  if (isScheduled) setImmediate(takeTurn);
}
