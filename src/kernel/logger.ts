import { destination as openDestination, pino } from 'pino';
import { describeError, withoutSecrets } from './log-content.ts';
import { traceIds } from './tracing.ts';

/**
 * Lines are buffered up to this many bytes, or milliseconds: a line per request must not cost a system call each.
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
  { level: 'info', serializers: { error: describeError }, formatters: { log: withoutSecrets }, mixin: traceIds },
  // Without its flushSync(), which tries for ever to write to a pipe that nobody reads any more.
  { write: (line) => void destination.write(line) },
);

/** Writes what waits: before something else is said on standard error, and before the process ends. */
export const flushLog = (): Promise<void> => new Promise((resolve) => destination.flush(() => resolve()));
