import { jest } from '@jest/globals';
import { log } from '@taskgate/base';
import { seedOfRun } from './random.ts';
import { limitWaits } from './until.ts';

/** Milliseconds for a test that starts processes, kills servers or creates much data. */
const slowTestMs = 300_000;
/** Milliseconds of the longest wait, by the kind of the file. */
const waitMs = { fast: 45_000, slow: 90_000 };

/** Runs before each test file. */
export default async function beforeFile(): Promise<void> {
  // Tests do not print the service's log. A test that needs it sets a level.
  log.level = 'silent';
  const { expect } = globalThis as unknown as { expect: { getState(): { testPath?: string } } };
  const isSlow = expect.getState().testPath?.endsWith('.slow.test.ts') === true;
  if (isSlow) jest.setTimeout(slowTestMs);
  const longestMs = isSlow ? waitMs.slow : waitMs.fast;
  limitWaits(longestMs);
  const { configureGlobal } = await import('fast-check');
  configureGlobal({
    // Otherwise the test's own timeout would end the search for a smaller counterexample and hide the failure.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- The settings of all properties take no plugins.
    interruptAfterTimeLimit: longestMs,
    // Repeats the values of an earlier run.
    ...(process.env['TASKGATE_TESTS_SEED'] === undefined ? {} : { seed: seedOfRun() }),
  });
}
