import { isatty } from 'node:tty';
import { destination as openDestination, pino } from 'pino';
import { describeError, withoutSecrets } from './log-content.ts';
import { terminalText } from './terminal-text.ts';
import { traceIds } from './tracing.ts';

const standardError = 2;

export const isLogInTerminal = isatty(standardError);

/** Buffers (bytes, milliseconds) to save a system call for each request. */
const destination = openDestination({
  dest: standardError,
  sync: false,
  minLength: 4096,
  periodicFlush: 200,
  /** Unread lines beyond it are dropped. */
  maxLength: 16 * 1024 * 1024,
});

// On a full disk, the first error would end the process, and pino would repeat the failed write at exit forever.
destination.on('error', () => undefined);
destination.flushSync = () => undefined;

const ofTerminal = { write: (line: string) => void destination.write(terminalText(line, log.isLevelEnabled('debug'))) };

/** Writes plain text to a terminal, otherwise JSON. `log-content.ts` removes secrets. */
export const log = pino(
  { level: 'info', serializers: { error: describeError }, formatters: { log: withoutSecrets }, mixin: traceIds },
  isLogInTerminal ? ofTerminal : destination,
);

/** Call before other output on standard error, and before the process ends. */
export const flushLog = (): Promise<void> => new Promise((resolve) => destination.flush(() => resolve()));
