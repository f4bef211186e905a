import { every, hourly } from '../database/periodic.ts';
import { eraseEmptied } from './emptying.ts';
import { pruneHistory, pruneOperations, setRetention } from './retention-data.ts';

declare module '../kernel/services.ts' {
  interface Services {
    history: History;
  }
}

const minuteMs = 60_000;

/** Days for which it is known who changed something and when, at least: longer than what there was before. */
const operationDays = 365;

/** For how long the history is kept. */
export class History {
  /** Days; 0: none is. */
  readonly retentionDays: number;
  readonly #background: { stop(): void }[];

  private constructor(days: number, changeDays: number) {
    this.retentionDays = days;
    this.#background = [
      every(minuteMs, 'pruning of the history', () => pruneHistory(days)),
      every(minuteMs, 'emptying of the trash', () => eraseEmptied()),
      hourly('pruning of operations', () => pruneOperations(Math.max(operationDays, days, changeDays))),
    ];
  }

  /** @param retention days for which images, and the change log, are kept */
  static async open({ days, changeDays }: { days: number; changeDays: number }): Promise<History> {
    await setRetention(days);
    return new History(days, changeDays);
  }

  close(): void {
    for (const work of this.#background) work.stop();
  }
}
