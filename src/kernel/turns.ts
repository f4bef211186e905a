import { measureLoad } from './load.ts';

/** Pieces of work that continue in one turn of the event loop. */
const perTurn = 10;

/** What waits, by key; the key whose turn is next comes first. */
const waiting = new Map<string, (() => void)[]>();
let isScheduled = false;

measureLoad('event_loop', {
  get load() {
    return { running: 0, waiting: [...waiting.values()].reduce((sum, { length }) => sum + length, 0) };
  },
});

/**
 * Waits for a turn of the event loop. Work that a single event starts a thousand times over (a change with as many
 * subscriptions) takes turns: a few pieces continue in each, round-robin by key, and requests of others are read and
 * answered in between.
 * @param key whose work it is, such as an account or a socket
 */
export function nextTurn(key: string): Promise<void> {
  return new Promise((resolve) => {
    const own = waiting.get(key);
    if (own) own.push(resolve);
    else waiting.set(key, [resolve]);
    if (!isScheduled) setImmediate(takeTurn);
    isScheduled = true;
  });
}

function takeTurn(): void {
  let taken = 0;
  for (const [key, own] of waiting) {
    if (taken++ === perTurn) break;
    waiting.delete(key);
    own.shift()?.();
    if (own.length > 0) waiting.set(key, own);
  }
  isScheduled = waiting.size > 0;
  if (isScheduled) setImmediate(takeTurn);
}
