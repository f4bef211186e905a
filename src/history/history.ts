import { every, hourly } from '@taskgate/postgres';
import type { Connections } from '../platform/database.ts';
import { eraseEmptied } from './emptying.ts';
import { pruneHistory, pruneOperations, setRetention } from './retention-data.ts';

declare module '../platform/services.ts' {
  interface Services {
    history: History;
  }
}

const minuteMs = 60_000;

/** Minimum number of days that operations are kept, with their actor and time. */
const operationDays = 365;

export class History {
  /** Days that images are kept. 0 if none are. */
  readonly retentionDays: number;
  readonly #background: { stop(): void }[];

  private constructor(connections: Connections, days: number, changeDays: number) {
    this.retentionDays = days;
    this.#background = [
      every(minuteMs, 'pruning of the history', () => pruneHistory(connections, days)),
      every(minuteMs, 'emptying of the trash', () => eraseEmptied(connections, null, minuteMs)),
      hourly('pruning of operations', () => pruneOperations(connections, Math.max(operationDays, days, changeDays))),
    ];
  }

  /** @param retention of images and of the change log, in days */
  static async open(
    connections: Connections,
    { days, changeDays }: { days: number; changeDays: number },
  ): Promise<History> {
    await setRetention(connections, days);
    return new History(connections, days, changeDays);
  }

  close(): void {
    for (const work of this.#background) work.stop();
  }
}
