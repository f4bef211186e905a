import { log } from '../../src/kernel/logger.ts';
import { seedOfRun } from './random.ts';

/** Before each test file. */
export default async function beforeFile(): Promise<void> {
  // What the service's code logs is not the tests' to print. Who wants it asks for a level.
  log.level = 'silent';
  // Properties are tried with the values that a seed gave before; fast-check says it where one fails.
  if (process.env['TASKGATE_TESTS_SEED'] !== undefined) {
    const { configureGlobal } = await import('fast-check');
    configureGlobal({ seed: seedOfRun() });
  }
}
