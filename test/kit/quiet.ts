import { log } from '../../src/kernel/logger.ts';
import { seedOfRun } from './random.ts';

/** Before each test file. */
export default async function beforeFile(): Promise<void> {
  // What the service's code logs is not the tests' to print. A test that needs it sets a level.
  log.level = 'silent';
  const { configureGlobal } = await import('fast-check');
  configureGlobal({
    // Ends the search for a smaller counterexample before the test's own timeout would hide what failed.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- The settings of all properties take no plugins.
    interruptAfterTimeLimit: 90_000,
    // The seed of an earlier run, whose values are tried again.
    ...(process.env['TASKGATE_TESTS_SEED'] === undefined ? {} : { seed: seedOfRun() }),
  });
}
