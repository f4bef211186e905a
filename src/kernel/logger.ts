import { destination as openDestination, pino } from 'pino';
import { describeError, withoutSecrets } from './log-content.ts';

/**
 * Lines wait in memory until so many bytes are together, or for so many milliseconds: what is said of every request
 * must not cost a system call each. What waits is written at exit, and before a fatal line.
 */
const destination = openDestination({
  dest: 2,
  sync: false,
  minLength: 4096,
  periodicFlush: 200,
  /** Bytes beyond which lines are dropped, where nobody reads standard error. */
  maxLength: 16 * 1024 * 1024,
});

/**
 * The process' logger: JSON lines on standard error, so that standard output keeps to the ready line. Of errors it
 * tells what `log-content.ts` lists; of all else nothing under the names of secrets, at any depth.
 */
export const log = pino(
  { level: 'info', serializers: { error: describeError }, formatters: { log: withoutSecrets } },
  destination,
);

/** Writes what waits, at once: before something else is said on standard error. */
export const flushLog = (): void => destination.flushSync();
