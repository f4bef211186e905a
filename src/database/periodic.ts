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

const minuteMs = 60_000;
/** Minutes within which hourly work is done first: after a restart not an hour later, and not by all processes at once. */
const firstMinutes = 5;

/** Does background work once an hour as {@link every} does, a first time one to five minutes from now. */
export function hourly(name: string, work: () => Promise<unknown>): { stop(): void } {
  let minute = -Math.floor(Math.random() * firstMinutes);
  return every(minuteMs, name, async () => {
    const isDue = minute % 60 === 0;
    minute += 1;
    if (isDue) await work();
  });
}
