import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { log } from '../../src/kernel/logger.ts';
import { endServices } from '../kit/process.ts';
import { type Session, sessionKinds } from './sessions.ts';

/** Set TASKGATE_FAULTS_SEED to the seed of a run that failed, to have the same again as far as time allows. */
const seed = Number(process.env['TASKGATE_FAULTS_SEED'] ?? Date.now() % 1_000_000);

/** Has each fault of an installation happen once; `npm run test:faults` does so again and again. */
export function testFaults(name: keyof typeof sessionKinds): void {
  const { faults, begin } = sessionKinds[name];
  let session: Session | undefined;

  beforeAll(async () => {
    // What starts and migrates databases here is the services' own code.
    log.level = 'silent';
    session = await begin(seed);
  });
  afterAll(() => endServices('SIGKILL'));

  describe('what was acknowledged is there once, nothing by half, and streams have no gap', () => {
    test.each(faults)('%s', async (fault) => {
      if (!session) return;
      const { acknowledged, delivered, problems } = await session.round(fault, seed);
      expect({ seed, problems }).toEqual({ seed, problems: [] });
      expect(Math.min(acknowledged, delivered)).toBeGreaterThan(10);
    });
  });

  test('all ends in order, and no process is left behind', async () => {
    if (session) expect(await session.end()).toEqual([]);
  });
}
