import { log } from '@taskgate/base';
import { seedOfRun } from './random.ts';

/** Runs before each test file. */
export default async function beforeFile(): Promise<void> {
  // Tests do not print the service's log. A test that needs it sets a level.
  log.level = 'silent';
  const { configureGlobal } = await import('fast-check');
  configureGlobal({
    // Otherwise the test's own timeout would end the search for a smaller counterexample and hide the failure.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- The settings of all properties take no plugins.
    interruptAfterTimeLimit: 90_000,
    // Repeats the values of an earlier run.
    ...(process.env['TASKGATE_TESTS_SEED'] === undefined ? {} : { seed: seedOfRun() }),
  });
}
