import { isatty } from 'node:tty';
import { destination as openDestination, pino } from 'pino';
import { describeError, withoutSecrets } from './log-content.ts';
import { terminalText } from './terminal-text.ts';
import { traceIds } from './tracing.ts';

const standardError = 2;

/** Whether a person reads the log: then its lines are plain text. */
export const isLogInTerminal = isatty(standardError);

/**
 * Lines are buffered up to this many bytes, or milliseconds: a line per request must not cost a system call each.
 */
const destination = openDestination({
  dest: standardError,
  sync: false,
  minLength: 4096,
  periodicFlush: 200,
  /** Bytes beyond which lines are dropped, where nobody reads standard error. */
  maxLength: 16 * 1024 * 1024,
});

const write = isLogInTerminal
  ? (line: string) => void destination.write(terminalText(line, log.isLevelEnabled('debug')))
  : (line: string) => void destination.write(line);

/**
 * The logger of the process. It writes to standard error: plain text in a terminal, otherwise JSON lines. An error has the fields that
 * `log-content.ts` lists. A value under the name of a secret is removed, at any depth.
 */
export const log = pino(
  { level: 'info', serializers: { error: describeError }, formatters: { log: withoutSecrets }, mixin: traceIds },
  // Without its flushSync(), which tries for ever to write to a pipe that nobody reads any more.
  { write },
);

/** Writes what waits: before something else is said on standard error, and before the process ends. */
export const flushLog = (): Promise<void> => new Promise((resolve) => destination.flush(() => resolve()));
