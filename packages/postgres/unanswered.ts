import pg from 'pg';
import { inTime, log } from '@taskgate/base';

/** The outcome is unknown. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
  constructor() {
    super('the database has not answered a statement in time');
  }
}

/** Time of the process clock when a query was first seen. */
const firstSeen = new WeakMap<pg.Query, number>();

/** Since the first check that saw the current statement unanswered. */
export function unansweredMs(client: pg.Client): number {
  const { _activeQuery: query } = client as unknown as { _activeQuery: unknown };
  if (!(query instanceof pg.Query)) return 0;
  const now = performance.now();
  const since = firstSeen.get(query) ?? now;
  firstSeen.set(query, since);
  return now - since;
}

/**
 * Commits that wait for a missing synchronous standby, which no timeout of PostgreSQL ends. A commit hangs only if two
 * searches find it.
 */
export class HangingCommits {
  /** Start of the activity, by the id of the waiting server process. */
  #waiting: ReadonlyMap<number, string> = new Map();
  #areThere = false;

  get areThere(): boolean {
    return this.#areThere;
  }

  /** @returns server process ids; none if the database does not answer in time */
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

async function waitingCommits(client: pg.Client): Promise<ReadonlyMap<number, string>> {
  const { rows } = await client.query<{ pid: number; since: string }>(
    `SELECT pid, state_change::text AS since FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event = 'SyncRep'`,
  );
  return new Map(rows.map(({ pid, since }) => [pid, since]));
}
