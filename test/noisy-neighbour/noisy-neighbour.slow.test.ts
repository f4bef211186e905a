import { setMaxListeners } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadOf } from '../../packages/work/load.ts';
import { until } from '../kit/until.ts';
import { cases, expensiveEvents, forgedTokens } from './cases.ts';
import { StartCounter } from './starts.ts';
import { writes } from './writes.ts';
import { isHostile, openWorld, slowDomain, untilWaiting, type World } from './world.ts';

/** Limit of the work that may begin while the neighbour waits. The backlog is far larger. */
const maxOvertaking = 10;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const allCases = [
  ...Object.entries(cases).map(([queue, each]) => ({ name: queue, queue, each })),
  ...Object.entries(writes).map(([name, each]) => ({
    name,
    queue: 'writes',
    each,
  })),
  ...Object.entries(expensiveEvents).map(([name, each]) => ({ name, queue: 'queries', each })),
  ...Object.entries(forgedTokens).map(([name, each]) => ({ name, queue: 'credentials', each })),
];

test.each(allCases)('$name: an account is served while seven others flood it', async ({ queue, each }) => {
  const controller = new AbortController();
  setMaxListeners(Infinity, controller.signal);
  const hangingReply = new Promise<undefined>((resolve) =>
    controller.signal.addEventListener('abort', () => resolve(undefined)),
  );
  world.sink.setBehaviour((recipient) => (recipient.endsWith(`@${slowDomain}`) ? hangingReply : undefined));
  let isNeighbourRunning = false;
  const keysOfFlood = new Set<string>();
  const counter = new StartCounter(queue, (key) => {
    if (!isNeighbourRunning) keysOfFlood.add(key);
    return isNeighbourRunning && !keysOfFlood.has(key) && !isHostile(world, key);
  });
  let work: Promise<unknown>[] = [];
  try {
    work = await each.flood(world, controller.signal);
    await untilWaiting(queue);
    isNeighbourRunning = true;
    await each.ask(world);
  } finally {
    counter.stop();
    controller.abort();
    await Promise.allSettled(work);
  }
  await until('nothing is left', () => loadOf(queue).running + loadOf(queue).waiting === 0);
  // Cases without a fair queue count the turns themselves.
  expect(counter.overtaking ?? (each.isNoQueue ? 0 : undefined)).toBeLessThanOrEqual(maxOvertaking);
});
