import { symbols } from 'pino';
import { log } from '@taskgate/base';
import { withTimeout } from './until.ts';

export interface LogLine extends Record<string, unknown> {
  level: number;
  msg: string;
}

export interface CapturedLog {
  readonly lines: LogLine[];
  /** Waits if there is no such line yet. */
  line(fields: Record<string, unknown>): Promise<LogLine>;
  release(): void;
}

export const levels = { debug: 20, info: 30, warn: 40, error: 50 } as const;

/** Captures the log of this process. `LOG_LEVEL` still decides the level. */
export function captureLog(): CapturedLog {
  const lines: LogLine[] = [];
  const checks = new Set<() => void>();
  const streams = log as unknown as Record<symbol, unknown>;
  const original = streams[symbols.streamSym];
  streams[symbols.streamSym] = {
    write(text: string) {
      lines.push(JSON.parse(text) as LogLine);
      for (const check of checks) check();
    },
  };
  return {
    lines,
    line: (fields) =>
      withTimeout(
        `a line of the log with ${JSON.stringify(fields)}`,
        new Promise((resolve) => {
          const check = () => {
            const found = lines.find((line) => Object.entries(fields).every(([name, value]) => line[name] === value));
            if (!found) return void checks.add(check);
            checks.delete(check);
            resolve(found);
          };
          check();
        }),
      ),
    release: () => void (streams[symbols.streamSym] = original),
  };
}
