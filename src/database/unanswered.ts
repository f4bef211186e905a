import pg from 'pg';
import { log } from '../kernel/logger.ts';
import { inTime } from '../kernel/within.ts';

/** A statement, or the commit after it, had no answer in time: nobody knows whether it was done. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
  constructor() {
    super('the database has not answered a statement in time');
  }
}

/** Since when each statement has been seen without an answer, by the process' clock. */
const firstSeen = new WeakMap<pg.Query, number>();

/** How long a connection has been seen to wait for the answer to its statement, in milliseconds. */
export function unansweredMs(client: pg.Client): number {
  const { _activeQuery: query } = client as unknown as { _activeQuery: unknown };
  if (!(query instanceof pg.Query)) return 0;
  const now = performance.now();
  const since = firstSeen.get(query) ?? now;
  firstSeen.set(query, since);
  return now - since;
}

/**
 * Finds commits that wait for a synchronous standby, without which PostgreSQL acknowledges none, and which no timeout of PostgreSQL
 * ends. If there is a standby, each waits for a moment: one hangs that is found twice.
 */
export class HangingCommits {
  /** Since when each server process that waited was active, by its id. */
  #waiting: ReadonlyMap<number, string> = new Map();
  #areThere = false;

  /** Whether there were any the last time. */
  get areThere(): boolean {
    return this.#areThere;
  }

  /** @returns ids of the server processes; none where the database does not say in time */
  async find(probe: pg.Client, ms: number): Promise<readonly number[]> {
    const waiting = await inTime(ms, waitingCommits(probe)).catch(() => undefined);
    if (!waiting) return [];
    const hanging = [...waiting].flatMap(([pid, since]) => (this.#waiting.get(pid) === since ? [pid] : []));
    this.#waiting = waiting;
    this.#note(hanging.length > 0);
    return hanging;
  }

  #note(areThere: boolean): void {
    if (areThere === this.#areThere) return;
    this.#areThere = areThere;
    if (areThere) log.error('the database acknowledges no commits: a synchronous standby is gone');
    else log.info('the database acknowledges commits again');
  }
}

/** @returns since when each server process whose commit waits for a standby is active, by its id */
async function waitingCommits(client: pg.Client): Promise<ReadonlyMap<number, string>> {
  const { rows } = await client.query<{ pid: number; since: string }>(
    `SELECT pid, state_change::text AS since FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event = 'SyncRep'`,
  );
  return new Map(rows.map(({ pid, since }) => [pid, since]));
}
