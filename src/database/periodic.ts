import { logFailure } from './unavailable-log.ts';

/**
 * Does background work at intervals, a first time after one of them; a failure is logged, and the
 * next turn comes all the same. It does not keep the process alive.
 */
export function every(milliseconds: number, name: string, work: () => Promise<unknown>): { stop(): void } {
  const timer = setInterval(() => {
    work().catch((error: unknown) => logFailure(error, `${name} failed`));
  }, milliseconds);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
