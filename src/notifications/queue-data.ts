import { groupBy } from '@taskgate/base';
import { type Queryable, runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { DeliveryKind, DeliveryQueue } from '../generated/prisma/enums.ts';
import type { Connections, Database } from '../platform/database.ts';
import type { Clock } from './clock.ts';

const { sql } = Prisma;

export const nowOf = ({ now }: Clock): Prisma.Sql =>
  now ? sql`${now.toISOString()}::timestamptz` : sql`statement_timestamp()`;

export const seconds = (count: number) => sql`make_interval(secs => ${count}::float8)`;

export interface WrittenDelivery {
  id: string;
  userId: string | null;
  kind: 'CODE' | 'NOTICE' | 'TEST';
  message: Buffer;
  validSeconds: number;
  /** If set, the mail is SKIPPED from the start for this reason. */
  withheld: string | null;
}

export const insertWritten = (database: Queryable, clock: Clock, delivery: WrittenDelivery) =>
  runSql(
    database,
    sql`/* insertDelivery */
      INSERT INTO deliveries (id, user_id, kind, occurrence, at, expires_at, next_at, message, status, reason)
      SELECT ${delivery.id}, ${delivery.userId}, ${delivery.kind}::"DeliveryKind", ${delivery.id},
        now, now + ${seconds(delivery.validSeconds)}, now, CASE WHEN withheld IS NULL THEN ${delivery.message}::bytea END,
        CASE WHEN withheld IS NULL THEN 'PLANNED' ELSE 'SKIPPED' END::"DeliveryStatus", withheld
      FROM (SELECT ${nowOf(clock)} AS now, ${delivery.withheld}::text AS withheld) AS clock`,
  );

export const adopt = (tx: Database, id: string, userId: string) =>
  tx.delivery.updateMany({ where: { id }, data: { userId } });

/** A delivery that this process has claimed until its lease ends. */
export interface ClaimedDelivery {
  id: string;
  userId: string | null;
  kind: DeliveryKind;
  occurrence: string;
  taskId: string | null;
  dueAt: Date | null;
  at: Date;
  expiresAt: Date;
  /** Number of attempts, including this one. */
  attempts: number;
  /** Each claim raises it. Only the process with the current number holds the delivery. */
  lease: number;
  message: Uint8Array | null;
  now: Date;
  /** Id of the user, or of the delivery if it has no user. */
  key: string;
  /** Null if the message contains the address. */
  email: string | null;
  /** Reminders of the user in the last minute, and reminder mails in the last hour. */
  remindersOfMinute: number;
  mailsOfHour: number;
}

export async function findDueQueues(connections: Connections, clock: Clock): Promise<DeliveryQueue[]> {
  const rows = await runSql<{ queue: DeliveryQueue }>(
    connections,
    sql`/* findDueQueues */
      SELECT each.queue FROM unnest(enum_range(NULL::"DeliveryQueue")) AS each (queue)
      WHERE EXISTS (
        SELECT FROM deliveries WHERE queue = each.queue AND status = 'PLANNED' AND next_at <= ${nowOf(clock)}
      )`,
  );
  return rows.map(({ queue }) => queue);
}

/** Maximum numbers of due deliveries that a claim reads, and of deliveries that it claims for one recipient. */
const [examinedAtOnce, claimedForOne] = [5000, 1000];

/**
 * Claims the due deliveries of the recipients that have waited longest. No other process can claim them before the
 * lease ends.
 * @param options `limit`: number of recipients; `except`: recipients to skip
 * @returns `others`, `same`: whether other recipients, or the claimed ones, may have more due deliveries
 */
export async function claim(
  connections: Connections,
  clock: Clock,
  queue: DeliveryQueue,
  { except, limit, leaseSeconds }: { except: readonly string[]; limit: number; leaseSeconds: number },
): Promise<{ claimed: ClaimedDelivery[][]; others: boolean; same: boolean }> {
  const deliveries = await runSql<ClaimedDelivery>(
    connections,
    sql`/* claimDeliveries */
      WITH clock AS MATERIALIZED (SELECT ${nowOf(clock)} AS now), page AS MATERIALIZED (
        SELECT id, key, next_at, row_number() OVER (PARTITION BY key ORDER BY next_at, id) AS place FROM (
          SELECT id, coalesce(user_id, id) AS key, next_at FROM deliveries
          WHERE queue = ${queue}::"DeliveryQueue" AND status = 'PLANNED' AND next_at <= ${nowOf(clock)}
            AND coalesce(user_id, id) <> ALL (${[...except]})
          ORDER BY next_at LIMIT ${examinedAtOnce}
        ) AS examined
      ), recipient AS MATERIALIZED (
        SELECT key FROM page WHERE place = 1 ORDER BY next_at, id LIMIT ${limit}
      ), due AS MATERIALIZED (
        SELECT id, user_id FROM deliveries
        -- PostgreSQL hashes or looks up an array, even if it expects few rows.
        WHERE id = ANY (ARRAY (SELECT id FROM page JOIN recipient USING (key) WHERE place <= ${claimedForOne}))
          AND queue = ${queue}::"DeliveryQueue" AND status = 'PLANNED' AND next_at <= ${nowOf(clock)}
        FOR UPDATE SKIP LOCKED
      ), recipient_of AS MATERIALIZED (
        SELECT users.id, email, minute.count AS of_minute, hour.count AS of_hour
        FROM (SELECT DISTINCT user_id FROM due) AS each JOIN users ON users.id = user_id
        CROSS JOIN LATERAL (
          SELECT count(*)::int FROM deliveries AS recent WHERE recent.user_id = users.id AND recent.kind = 'REMINDER'
            AND recent.at > ${nowOf(clock)} - interval '2 hours' AND recent.sent_at > ${nowOf(clock)} - interval '1 minute'
        ) AS minute
        CROSS JOIN LATERAL (
          SELECT count(DISTINCT sent_at)::int FROM deliveries AS recent WHERE recent.user_id = users.id AND recent.kind = 'REMINDER'
            AND recent.at > ${nowOf(clock)} - interval '3 hours' AND recent.sent_at > ${nowOf(clock)} - interval '1 hour'
        ) AS hour
      )
      UPDATE deliveries SET attempts = attempts + 1, lease = lease + 1,
        next_at = now + ${seconds(leaseSeconds)}, leased_until = now + ${seconds(leaseSeconds)}
      FROM clock CROSS JOIN due LEFT JOIN recipient_of AS recipient ON recipient.id = due.user_id
      WHERE deliveries.id = due.id
      RETURNING deliveries.id, deliveries.user_id AS "userId", kind, occurrence, task_id AS "taskId", due_at AS "dueAt", at,
        expires_at AS "expiresAt", attempts, lease, message, now, coalesce(deliveries.user_id, deliveries.id) AS key, email,
        coalesce(of_minute, 0) AS "remindersOfMinute", coalesce(of_hour, 0) AS "mailsOfHour"`,
  );
  deliveries.sort((one, other) => one.at.getTime() - other.at.getTime() || (one.id < other.id ? -1 : 1));
  const claimed = [...groupBy(deliveries, ({ key }) => key).values()];
  return { claimed, others: claimed.length === limit, same: claimed.some(({ length }) => length === claimedForOne) };
}

/** @returns ids of the deliveries that this process still holds */
export async function renew(
  connections: Connections,
  clock: Clock,
  claimed: readonly ClaimedDelivery[],
  leaseSeconds: number,
): Promise<Set<string>> {
  const rows = await runSql<{ id: string }>(
    connections,
    sql`/* renewLeases */
      UPDATE deliveries SET next_at = ${nowOf(clock)} + ${seconds(leaseSeconds)},
        leased_until = ${nowOf(clock)} + ${seconds(leaseSeconds)}
      FROM unnest(${claimed.map(({ id }) => id)}::text[], ${claimed.map(({ lease }) => lease)}::integer[])
        AS claimed (id, lease)
      WHERE deliveries.id = claimed.id AND deliveries.lease = claimed.lease AND leased_until IS NOT NULL
      RETURNING deliveries.id`,
  );
  return new Set(rows.map(({ id }) => id));
}

const areOurs = (claimed: readonly ClaimedDelivery[]) => sql`status = 'PLANNED' AND (id, lease) IN (
  SELECT * FROM unnest(${claimed.map(({ id }) => id)}::text[], ${claimed.map(({ lease }) => lease)}::integer[])
)`;

export type Ended = { status: 'SENT'; reason?: never } | { status: 'SKIPPED' | 'FAILED'; reason: string };

/**
 * Ends deliveries, and queues their spaces for planning, because tasks or preferences may have changed.
 * @returns ids of the deliveries that this process still held
 */
export async function end(
  database: Queryable,
  clock: Clock,
  claimed: readonly ClaimedDelivery[],
  { status, reason }: Ended,
): Promise<Set<string>> {
  const rows = await runSql<{ id: string }>(
    database,
    sql`/* endDelivery */
      WITH ended AS (
        UPDATE deliveries SET status = ${status}::"DeliveryStatus", reason = ${reason ?? null}, message = NULL,
          leased_until = NULL, sent_at = ${status === 'SENT' ? nowOf(clock) : sql`NULL`}
        WHERE ${areOurs(claimed)} RETURNING id, kind, task_id, user_id, status
      ), queued AS (
        INSERT INTO planning_queue (space_id)
        SELECT user_id FROM ended WHERE kind = 'DIGEST'
        UNION
        -- The current space of the task.
        SELECT tasks.space_id FROM ended JOIN tasks ON tasks.id = task_id WHERE ended.status = 'SKIPPED'
      )
      SELECT id FROM ended`,
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Releases deliveries for another claim after a pause, at the latest when they expire.
 * @param isTried whether the claim counts as an attempt
 */
export const release = (
  connections: Connections,
  clock: Clock,
  claimed: readonly ClaimedDelivery[],
  { pauseSeconds, isTried = false }: { pauseSeconds: number; isTried?: boolean },
) =>
  runSql(
    connections,
    sql`/* releaseDelivery */
      UPDATE deliveries SET next_at = least(${nowOf(clock)} + ${seconds(pauseSeconds)}, greatest(expires_at, ${nowOf(clock)})),
        leased_until = NULL, attempts = attempts - ${isTried ? 0 : 1}::int
      WHERE ${areOurs(claimed)}`,
  );

/** Plans deliveries for a later moment, and resets their attempts. */
export const postpone = (connections: Connections, claimed: readonly ClaimedDelivery[], at: Date) =>
  runSql(
    connections,
    sql`/* postponeDelivery */
      UPDATE deliveries SET at = ${at}::timestamptz, next_at = ${at}::timestamptz, leased_until = NULL, attempts = 0
      WHERE ${areOurs(claimed)}`,
  );

/** Delay of the oldest untried delivery, in seconds. */
export async function findLag(connections: Connections, clock: Clock): Promise<number> {
  const [row] = await runSql<{ lag: number | null }>(
    connections,
    sql`/* findMailLag */
      SELECT extract(epoch FROM ${nowOf(clock)} - min(next_at))::float8 AS lag FROM deliveries
      WHERE status = 'PLANNED' AND queue NOT IN ('RETRY', 'CODE_RETRY') AND next_at <= ${nowOf(clock)}`,
  );
  return row?.lag ?? 0;
}
