import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../kernel/backoff.ts';
import { TaskgateError } from '../kernel/errors.ts';
import { logFailure } from './unavailable-log.ts';

/** Waits, without keeping the process alive. */
export const wait = (milliseconds: number) => delay(milliseconds, undefined, { ref: false });

/**
 * Does the work until it succeeds: what is live outlives the loss of its database. Errors that are meant for the client are
 * passed on.
 * @param what of it waits for the database, for the log
 * @param isOver whether nobody waits for the result any more; then the last failure is thrown
 */
export async function retryUntil<Result>(
  what: string,
  work: () => Promise<Result>,
  isOver: () => boolean,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof TaskgateError || isOver()) throw error;
      logFailure(error, `${what}: it will be tried again`);
      await wait(backoffMs(attempt));
      if (isOver()) throw error;
    }
  }
}
