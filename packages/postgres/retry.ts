import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs, TaskgateError } from '@taskgate/base';
import { logFailure } from './unavailable-log.ts';

/** Does not keep the process alive. */
export const wait = (milliseconds: number) => delay(milliseconds, undefined, { ref: false });

/**
 * Retries work until it succeeds, so live connections survive an outage. Passes on errors for the client.
 * @param isOver if the result is no longer needed, the last failure is thrown
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
      logFailure(error, `${what}: retrying`);
      await wait(backoffMs(attempt));
      if (isOver()) throw error;
    }
  }
}
