/** Pieces of work that go on in one turn of the event loop. */
const perTurn = 10;

const waiting: (() => void)[] = [];

/**
 * Waits for a turn of the event loop. Work that a single event starts a thousand times over (a change that so many
 * subscriptions hear of) takes turns: a few pieces go on in each, in the order in which they asked, and requests of
 * others are read and answered in between.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(takeTurn);
  });
}

function takeTurn(): void {
  for (const resolve of waiting.splice(0, perTurn)) resolve();
  if (waiting.length > 0) setImmediate(takeTurn);
}
