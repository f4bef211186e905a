import pRetry from 'p-retry';
import { brokenInvariants } from '../kit/invariants.ts';
import { Claims, settleClaims } from './claims.ts';
import type { Effect, Effects, RunSql } from './effects.ts';
import type { Follower } from './follower.ts';
import type { Load, SentWrite } from './load.ts';
import type { Receiver } from './receiver.ts';
import type { SyncFollower } from './sync-follower.ts';

export interface LoggedChange {
  task_id: string;
  at: Date;
  /** Later changes belong to the next check. */
  due: boolean;
  must: boolean;
  /** Whether the task has ever been deleted. */
  gone?: boolean;
}

/**
 * The log since a check as a user receives it: one change per task and transaction. $1: user; $2, $3: revisions at the last check and this one. If a
 * task is gone or was temporarily invisible, only its deletion must arrive. If it was brought back, changes before its deletion may be left out.
 */
const loggedChanges = `
  WITH own AS (SELECT space_id FROM memberships WHERE user_id = $1),
  away AS (
    SELECT unnest(task_ids) AS task_id FROM task_changes
    WHERE kind <> 'UPDATED' AND space_id NOT IN (SELECT space_id FROM own)
  ),
  deletions AS (
    SELECT transaction_id, task_id, max(at) AS at FROM task_changes, unnest(task_ids) AS task_id
    GROUP BY transaction_id, task_id HAVING bool_or(kind = 'DELETED') AND NOT bool_or(kind = 'CREATED')
  )
  SELECT task_id, max(at) AS at, bool_and(revision <= ($3::jsonb ->> space_id)::bigint) AS due,
    task_id IN (SELECT id FROM tasks WHERE space_id IN (SELECT space_id FROM own))
      AND task_id NOT IN (SELECT task_id FROM away)
      AND NOT EXISTS (
        SELECT FROM deletions AS later
        WHERE later.task_id = task.task_id AND later.transaction_id <> task_changes.transaction_id AND later.at >= max(task_changes.at)
      ) AS must,
    task_id IN (SELECT unnest(task_ids) FROM task_changes WHERE kind = 'DELETED') AS gone
  FROM task_changes, unnest(task_ids) AS task (task_id)
  WHERE space_id IN (SELECT space_id FROM own) AND revision > coalesce(($2::jsonb ->> space_id)::bigint, 0)
  GROUP BY transaction_id, task_id`;

/** Log entries of tasks without an operation of the history, and operations of tasks without a log entry. Claims have no history. */
const unequalHistory = `
  SELECT operation_id FROM task_changes WHERE fields IS DISTINCT FROM '{claim}' AND NOT EXISTS (
    SELECT FROM history WHERE history.operation_id = task_changes.operation_id AND type IN ('TASK', 'COMMENT')
  ) UNION SELECT operation_id FROM history WHERE type IN ('TASK', 'COMMENT') AND NOT is_hidden AND NOT EXISTS (
    SELECT FROM task_changes WHERE task_changes.operation_id = history.operation_id
  )`;

/**
 * Compares what clients were told with what the database committed:
 *
 * - `lost`: acknowledged, and not there.
 * - `twice`: a second effect, or one of a refused write.
 * - `in part`: other values than the write has, or a comment without its events.
 * @returns problems, each after its kind
 */
export function checkWrites(
  writes: readonly SentWrite[],
  effects: Pick<Effects, 'withMark' | 'isDeleted'>,
): { problems: string[]; unknownWritten: number } {
  const problems: string[] = [];
  let unknownWritten = 0;
  for (const write of writes) {
    const { mark, deletes, outcome } = write;
    const found = mark === undefined ? [] : effects.withMark(mark);
    const times = new Set(found.map(({ transaction }) => transaction)).size;
    const isMissing = (mark !== undefined && times === 0) || (deletes !== undefined && !effects.isDeleted(deletes));
    const text = JSON.stringify({ ...write, person: write.person.user.id });
    if (outcome === 'acknowledged' && isMissing) problems.push(`lost: ${text}`);
    if (times > (outcome === 'acknowledged' || outcome === 'unknown' ? 1 : 0)) problems.push(`twice: ${text}`);
    if (!found.every((effect) => isWhole(write, effect))) problems.push(`in part: ${text} as ${JSON.stringify(found)}`);
    if (outcome === 'unknown' && times > 0) unknownWritten += 1;
  }
  return { problems, unknownWritten };
}

function isWhole({ columns = {}, person }: SentWrite, { columns: found, told }: Effect): boolean {
  if (told && told.events.join() !== told.expected.join()) return false;
  if (!found) return true;
  const { title = found.title, completed = found.completed, tags } = columns;
  const own = person.tags.filter((tag) => found.tags.includes(tag));
  return title === found.title && completed === found.completed && (!tags || own.join() === tags.join());
}

/**
 * Compares the changes that a follower received with the log. Two transactions on a task may have the same time: each matches one received change.
 * @param received task and time of each change
 * @returns `later`: received changes that belong to the next check
 */
export function checkChanges(
  received: readonly string[],
  logged: readonly LoggedChange[],
): { problems: string[]; later: string[] } {
  const counts = new Map<string, number>();
  for (const key of received) counts.set(key, (counts.get(key) ?? 0) + 1);
  const [problems, later]: [string[], string[]] = [[], []];
  for (const { task_id: task, at, due, must } of logged) {
    const key = `${task} ${at.toISOString()}`;
    const count = counts.get(key) ?? 0;
    if (count > 0) counts.set(key, count - 1);
    if (count > 0 && !due) later.push(key);
    if (count === 0 && due && must) problems.push(`missed: ${key}`);
  }
  for (const [key, count] of counts)
    for (let left = count; left > 0; left -= 1) problems.push(`received twice: ${key}`);
  return { problems, later };
}

interface Watched {
  sql: RunSql;
  load: Load;
  effects: Effects;
  followers: readonly Follower[];
  receivers: readonly Receiver[];
  replicas: readonly SyncFollower[];
}

/** Compares outcomes with commits and claims, streams and webhooks with the log, replicas with lists, and the log with the history. */
export class Checker {
  /** One per change and written space. */
  logged = 0;
  /** Writes with an unknown outcome that took effect. */
  unknownWritten = 0;
  readonly claims = new Claims();
  readonly #watched: Watched;
  #since: string;

  private constructor(watched: Watched, since: string) {
    this.#watched = watched;
    this.#since = since;
  }

  /** Call before the first write. */
  static async start(watched: Watched): Promise<Checker> {
    return new Checker(watched, await revisions(watched.sql));
  }

  /**
   * Checks everything since the last check. Call while nobody writes.
   * @returns problems, each after its kind
   */
  async check(): Promise<string[]> {
    const { sql, load, effects, replicas } = this.#watched;
    const problems = load.problems.splice(0);
    await settleClaims(sql);
    problems.push(...(await this.#checkStreams()));
    // The first statements after a restart of the database may fail.
    await pRetry(() => Promise.all([effects.read(), this.claims.read(sql)]), { retries: 5 });
    const sentWrites = load.sentWrites.splice(0);
    const { problems: found, unknownWritten } = checkWrites(sentWrites, effects);
    this.unknownWritten += unknownWritten;
    problems.push(...found, ...this.claims.check(sentWrites, effects));
    for (const replica of replicas) {
      await replica.untilCaughtUp();
      problems.push(...(await replica.check(sentWrites)));
    }
    for (const { operation_id: id } of await sql<{ operation_id: string }>(unequalHistory)) {
      problems.push(`log and history differ: ${id}`);
    }
    return [...problems, ...(await brokenInvariants(sql))];
  }

  async #checkStreams(): Promise<string[]> {
    const { sql, followers, receivers } = this.#watched;
    const problems: string[] = [];
    const currentRevisions = await revisions(sql);
    await Promise.all([...followers, ...receivers].map((each) => each.untilCaughtUp()));
    for (const userId of new Set(followers.map(({ person }) => person.user.id))) {
      const logged = await readLog(sql, userId, this.#since, currentRevisions);
      for (const follower of followers.filter(({ person }) => person.user.id === userId)) {
        const { problems: found, later } = checkChanges(follower.received, logged);
        problems.push(...found);
        follower.received = later;
      }
    }
    for (const receiver of receivers) {
      const logged = await readLog(sql, receiver.person.user.id, this.#since, currentRevisions);
      const due = logged.map((change) => ({ ...change, must: change.must && !receiver.leavesOut(change) }));
      const { problems: found, later } = checkChanges(receiver.received, due);
      problems.push(...found.map((problem) => `webhook: ${problem}`), ...receiver.check(logged));
      receiver.received = later;
    }
    for (const follower of followers) {
      if (!(await pRetry(() => follower.isEqual(), { retries: 5 }))) problems.push('unequal: tasks of a follower');
    }
    this.#since = currentRevisions;
    const count = 'SELECT coalesce(sum(task_count), 0)::int AS count FROM task_changes';
    const [row] = await sql<{ count: number }>(count);
    this.logged = row?.count ?? 0;
    return problems;
  }
}

/** @param since revisions at the last check @param until revisions at this one */
export const readLog = (sql: RunSql, userId: string, since: string, until: string): Promise<LoggedChange[]> =>
  sql<LoggedChange>(loggedChanges, [userId, since, until]);

export async function revisions(sql: RunSql): Promise<string> {
  const [row] = await sql<{ all: string }>('SELECT jsonb_object_agg(id, revision)::text AS all FROM spaces');
  return row?.all ?? '{}';
}
