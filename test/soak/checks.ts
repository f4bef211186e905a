import pRetry from 'p-retry';
import type { Follower } from './follower.ts';

export type RunSql = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

export interface Found {
  missed: number;
  /** Received twice, or not in the log. */
  duplicates: number;
  /** Replicas that differ from the lists. */
  unequal: number;
}

interface LoggedChange {
  task_id: string;
  at: Date;
  /** Later changes belong to the next checkpoint. */
  due: boolean;
  must: boolean;
}

/**
 * The log since a checkpoint as a user receives it: one change per task and transaction. $1: user; $2, $3: revisions at the last checkpoint and this
 * one. If a task is gone or was temporarily invisible, only its deletion must arrive.
 */
const loggedChanges = `
  WITH own AS (SELECT space_id FROM memberships WHERE user_id = $1),
  away AS (
    SELECT unnest(task_ids) AS task_id FROM task_changes
    WHERE kind <> 'UPDATED' AND space_id NOT IN (SELECT space_id FROM own)
  )
  SELECT task_id, max(at) AS at, bool_and(revision <= ($3::jsonb ->> space_id)::bigint) AS due,
    task_id IN (SELECT id FROM tasks WHERE space_id IN (SELECT space_id FROM own))
      AND task_id NOT IN (SELECT task_id FROM away) AS must
  FROM task_changes, unnest(task_ids) AS task_id
  WHERE space_id IN (SELECT space_id FROM own) AND revision > coalesce(($2::jsonb ->> space_id)::bigint, 0)
  GROUP BY transaction_id, task_id`;

/** Compares received changes with the log, and replicas with the lists. */
export class Checks {
  /** One per change and written space. */
  logged = 0;
  readonly found: Found = { missed: 0, duplicates: 0, unequal: 0 };
  readonly #sql: RunSql;
  readonly #followers: readonly Follower[];
  #since: string;

  private constructor(sql: RunSql, followers: readonly Follower[], since: string) {
    this.#sql = sql;
    this.#followers = followers;
    this.#since = since;
  }

  /** Call before the first write. */
  static async start(sql: RunSql, followers: readonly Follower[]): Promise<Checks> {
    return new Checks(sql, followers, await revisions(sql));
  }

  async check(): Promise<void> {
    const currentRevisions = await revisions(this.#sql);
    await Promise.all(this.#followers.map((follower) => follower.untilCaughtUp()));
    for (const userId of new Set(this.#followers.map(({ person }) => person.user.id))) {
      const logged = await this.#sql<LoggedChange>(loggedChanges, [userId, this.#since, currentRevisions]);
      for (const follower of this.#followers) if (follower.person.user.id === userId) this.#compare(follower, logged);
    }
    // The first statements after a restart of the database may fail.
    const equalities = await Promise.all(
      this.#followers.map((follower) => pRetry(() => follower.isEqual(), { retries: 5 })),
    );
    this.found.unequal += equalities.filter((isEqual) => !isEqual).length;
    this.#since = currentRevisions;
    const [row] = await this.#sql<{ count: number }>(
      'SELECT coalesce(sum(task_count), 0)::int AS count FROM task_changes',
    );
    this.logged = row?.count ?? 0;
  }

  #compare(follower: Follower, logged: readonly LoggedChange[]): void {
    const received = new Map<string, number>();
    for (const key of follower.received) received.set(key, (received.get(key) ?? 0) + 1);
    const laterKeys: string[] = [];
    // Two transactions on a task may have the same time. Each matches one received change.
    for (const { task_id: task, at, due, must } of logged) {
      const key = `${task} ${at.toISOString()}`;
      const count = received.get(key) ?? 0;
      if (count > 0) received.set(key, count - 1);
      if (count > 0 && !due) laterKeys.push(key);
      if (count === 0 && due && must) this.found.missed += 1;
    }
    for (const count of received.values()) this.found.duplicates += count;
    follower.received = laterKeys;
  }
}

async function revisions(sql: RunSql): Promise<string> {
  const [row] = await sql<{ all: string }>('SELECT jsonb_object_agg(id, revision)::text AS all FROM spaces');
  return row?.all ?? '{}';
}
