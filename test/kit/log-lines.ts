import { symbols } from 'pino';
import { log } from '../../src/kernel/logger.ts';
import { inTime } from './until.ts';

/** A line of the log, as it was written. */
export interface LogLine extends Record<string, unknown> {
  level: number;
  msg: string;
}

export interface CapturedLog {
  readonly lines: LogLine[];
  /** The first line, of those written already or of those to come, that has the fields. */
  line(fields: Record<string, unknown>): Promise<LogLine>;
  /** The log is written to standard error again. */
  release(): void;
}

/** Numbers of levels (pino). */
export const levels = { debug: 20, info: 30, warn: 40, error: 50 } as const;

/** Takes what this process logs from now on; at which level it logs is `LOG_LEVEL`'s matter, as ever. */
export function captureLog(): CapturedLog {
  const lines: LogLine[] = [];
  const waiting = new Set<() => void>();
  const streams = log as unknown as Record<symbol, unknown>;
  const original = streams[symbols.streamSym];
  streams[symbols.streamSym] = {
    write(text: string) {
      lines.push(JSON.parse(text) as LogLine);
      for (const look of waiting) look();
    },
  };
  return {
    lines,
    line: (fields) =>
      inTime(
        `a line of the log with ${JSON.stringify(fields)}`,
        new Promise((resolve) => {
          const look = () => {
            const found = lines.find((line) => Object.entries(fields).every(([name, value]) => line[name] === value));
            if (!found) return void waiting.add(look);
            waiting.delete(look);
            resolve(found);
          };
          look();
        }),
      ),
    release: () => void (streams[symbols.streamSym] = original),
  };
}
