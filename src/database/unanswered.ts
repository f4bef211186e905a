import pg from 'pg';

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
 * Commits that wait for a synchronous standby, without which PostgreSQL acknowledges none, and which no timeout of its own ends.
 * Where there is a standby, each waits for a moment: one hangs that is found again.
 * @returns since when each server process is active, by its id
 */
export async function waitingCommits(client: pg.Client): Promise<ReadonlyMap<number, string>> {
  const { rows } = await client.query<{ pid: number; since: string }>(
    `SELECT pid, state_change::text AS since FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event = 'SyncRep'`,
  );
  return new Map(rows.map(({ pid, since }) => [pid, since]));
}
