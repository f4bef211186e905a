import { logFailure } from './unavailable-log.ts';

/** Logs failures and continues. Does not keep the process alive. */
export function every(milliseconds: number, name: string, work: () => Promise<unknown>): { stop(): void } {
  const timer = setInterval(() => {
    work().catch((error: unknown) => logFailure(error, `${name} failed`));
  }, milliseconds);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

const minuteMs = 60_000;
/** Hourly work begins soon after a start, but not in all processes at once. */
const firstMinutes = 5;

/** Runs work every hour, first within minutes. Logs failures and continues. */
export function hourly(name: string, work: () => Promise<unknown>): { stop(): void } {
  let minute = -Math.floor(Math.random() * firstMinutes);
  return every(minuteMs, name, async () => {
    const isDue = minute % 60 === 0;
    minute += 1;
    if (isDue) await work();
  });
}
