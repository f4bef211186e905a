import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { log } from '@taskgate/base';
import { endServices } from '../kit/process.ts';
import { seedOfRun } from '../kit/random.ts';
import { type Session, sessionKinds } from './sessions.ts';

const seed = seedOfRun();

/** Timeout of a round in milliseconds. Several waits may each take 90 seconds on a slow machine. */
const roundMs = 6 * 60_000;

/** Tests each fault once. `npm run test:faults` repeats them. */
export function testFaults(name: keyof typeof sessionKinds): void {
  const { faults, start: begin } = sessionKinds[name];
  let session: Session | undefined;
  let isOver = true;

  beforeAll(async () => {
    // The test process itself runs service code that migrates databases.
    log.level = 'silent';
    session = await begin(seed);
  });
  afterAll(() => endServices('SIGKILL'));

  describe('what was acknowledged exists once, nothing by half, and streams have no gap', () => {
    test.each(faults)(
      '%s',
      async (fault) => {
        if (!session) return;
        // Concurrent rounds would see each other's effects.
        expect({ seed, isOver }).toEqual({ seed, isOver: true });
        isOver = false;
        const { acknowledged, delivered, problems } = await session.round(fault, seed).finally(() => (isOver = true));
        expect({ seed, problems }).toEqual({ seed, problems: [] });
        expect(Math.min(acknowledged, delivered)).toBeGreaterThan(10);
      },
      roundMs,
    );
  });

  test('all ends in order, and no process is left behind', async () => {
    if (session) expect(await session.end()).toEqual([]);
  });
}
