import { Prisma } from '../generated/prisma/client.ts';
import type { DeliveryKind, DeliveryQueue } from '../generated/prisma/enums.ts';
import type { Database } from '../database/database.ts';
import { db } from '../database/database.ts';
import { runSql } from '../database/statements.ts';
import { groupBy } from '../kernel/group.ts';
import type { Clock } from './clock.ts';

const { sql } = Prisma;

/** The moment by which all is planned and sent. */
export const nowOf = ({ heldAt }: Clock): Prisma.Sql =>
  heldAt ? sql`${heldAt.toISOString()}::timestamptz` : sql`statement_timestamp()`;

export const seconds = (count: number) => sql`make_interval(secs => ${count}::float8)`;

/** A mail whose address and content are known when it is planned; it is sent at once. */
export interface WrittenDelivery {
  id: string;
  userId: string | null;
  kind: 'CODE' | 'NOTICE' | 'TEST';
  message: Buffer;
  /** From when on it is not worth sending. */
  validSeconds: number;
  /** Why it is SKIPPED from the beginning; null: it is sent. */
  withheld: string | null;
}

export const insertWritten = (database: Database, clock: Clock, delivery: WrittenDelivery) =>
  runSql(
    database,
    sql`/* insertDelivery */
      INSERT INTO deliveries (id, user_id, kind, occurrence, at, expires_at, next_at, message, status, reason)
      SELECT ${delivery.id}, ${delivery.userId}, ${delivery.kind}::"DeliveryKind", ${delivery.id},
        now, now + ${seconds(delivery.validSeconds)}, now, CASE WHEN withheld IS NULL THEN ${delivery.message}::bytea END,
        CASE WHEN withheld IS NULL THEN 'PLANNED' ELSE 'SKIPPED' END::"DeliveryStatus", withheld
      FROM (SELECT ${nowOf(clock)} AS now, ${delivery.withheld}::text AS withheld) AS clock`,
  );

/** Gives a mail to the account that was made by it. */
export const adopt = (tx: Database, id: string, userId: string) =>
  tx.delivery.updateMany({ where: { id }, data: { userId } });

/** A delivery that this process has claimed to send, until its lease ends. */
export interface ClaimedDelivery {
  id: string;
  userId: string | null;
  kind: DeliveryKind;
  occurrence: string;
  taskId: string | null;
  dueAt: Date | null;
  at: Date;
  expiresAt: Date;
  /** This one included. */
  attempts: number;
  /** Names this process as who has it. */
  lease: number;
  message: Uint8Array | null;
  now: Date;
  /** What names its recipient: their id, or its own if it has no user. */
  key: string;
  /** Of the account; null: the message has the address. */
  email: string | null;
  /** Of a reminder: how many reminders the user has had within a minute, and mails with reminders within an hour. */
  remindersOfMinute: number;
  mailsOfHour: number;
}

/** The queues that have something to be sent now. */
export async function findDueQueues(clock: Clock): Promise<DeliveryQueue[]> {
  const rows = await runSql<{ queue: DeliveryQueue }>(
    db,
    sql`/* findDueQueues */
      SELECT each.queue FROM unnest(enum_range(NULL::"DeliveryQueue")) AS each (queue)
      WHERE EXISTS (
        SELECT FROM deliveries WHERE queue = each.queue AND status = 'PLANNED' AND next_at <= ${nowOf(clock)}
      )`,
  );
  return rows.map(({ queue }) => queue);
}

/** Deliveries that one statement looks at; and those of one recipient that it claims. */
const [lookedAtOnce, claimedOfOne] = [5000, 1000];

/**
 * Claims what is to be sent now of a queue: of the recipients that have waited longest, all that is due together. No other process
 * does so before the lease ends.
 * @param options `limit`: of recipients; `except`: keys of those who have something claimed; `leaseSeconds`: it has to be ended, or
 *   given back, within that
 * @returns the deliveries by recipient; and whether there may be more of others, or of these
 */
export async function claim(
  clock: Clock,
  queue: DeliveryQueue,
  { except, limit, leaseSeconds }: { except: readonly string[]; limit: number; leaseSeconds: number },
): Promise<{ claimed: ClaimedDelivery[][]; others: boolean; same: boolean }> {
  const deliveries = await runSql<ClaimedDelivery>(
    db,
    sql`/* claimDeliveries */
      WITH clock AS MATERIALIZED (SELECT ${nowOf(clock)} AS now), page AS MATERIALIZED (
        SELECT id, key, next_at, row_number() OVER (PARTITION BY key ORDER BY next_at, id) AS place FROM (
          SELECT id, coalesce(user_id, id) AS key, next_at FROM deliveries
          WHERE queue = ${queue}::"DeliveryQueue" AND status = 'PLANNED' AND next_at <= ${nowOf(clock)}
            AND coalesce(user_id, id) <> ALL (${[...except]})
          ORDER BY next_at LIMIT ${lookedAtOnce}
        ) AS looked_at
      ), recipient AS MATERIALIZED (
        SELECT key FROM page WHERE place = 1 ORDER BY next_at, id LIMIT ${limit}
      ), due AS MATERIALIZED (
        SELECT id, user_id FROM deliveries
        -- As an array, which is hashed, or looked up, however few the planner expects.
        WHERE id = ANY (ARRAY (SELECT id FROM page JOIN recipient USING (key) WHERE place <= ${claimedOfOne}))
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
  return { claimed, others: claimed.length === limit, same: claimed.some(({ length }) => length === claimedOfOne) };
}

/** Keeps what this process has claimed from others for so long again. @returns ids of what is still its own */
export async function renew(
  clock: Clock,
  claimed: readonly ClaimedDelivery[],
  leaseSeconds: number,
): Promise<Set<string>> {
  const rows = await runSql<{ id: string }>(
    db,
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

/** Whether it is still this process that has them: the lease may have ended, or what they were for. */
const areOurs = (claimed: readonly ClaimedDelivery[]) => sql`status = 'PLANNED' AND (id, lease) IN (
  SELECT * FROM unnest(${claimed.map(({ id }) => id)}::text[], ${claimed.map(({ lease }) => lease)}::integer[])
)`;

/** What has become of a delivery. */
export type Ended = { status: 'SENT'; reason?: never } | { status: 'SKIPPED' | 'FAILED'; reason: string };

/**
 * Ends deliveries, and has their spaces planned again: what a reminder was skipped for may have changed by then, and so
 * may a user's preferences after a digest.
 * @returns ids of those that were still this process'
 */
export async function end(
  clock: Clock,
  claimed: readonly ClaimedDelivery[],
  { status, reason }: Ended,
  database: Database = db,
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
        -- Where the task is by now.
        SELECT tasks.space_id FROM ended JOIN tasks ON tasks.id = task_id WHERE ended.status = 'SKIPPED'
      )
      SELECT id FROM ended`,
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Gives deliveries back, to be claimed again: after a pause, but no later than when they expire.
 * @param isTried whether sending them was tried
 */
export const giveBack = (
  clock: Clock,
  claimed: readonly ClaimedDelivery[],
  { pauseSeconds, isTried = false }: { pauseSeconds: number; isTried?: boolean },
) =>
  runSql(
    db,
    sql`/* giveDeliveryBack */
      UPDATE deliveries SET next_at = least(${nowOf(clock)} + ${seconds(pauseSeconds)}, greatest(expires_at, ${nowOf(clock)})),
        leased_until = NULL, attempts = attempts - ${isTried ? 0 : 1}::int
      WHERE ${areOurs(claimed)}`,
  );

/** Gives deliveries back that are for a later moment by now, as if they had not been tried. */
export const postpone = (claimed: readonly ClaimedDelivery[], at: Date) =>
  runSql(
    db,
    sql`/* postponeDelivery */
      UPDATE deliveries SET at = ${at}::timestamptz, next_at = ${at}::timestamptz, leased_until = NULL, attempts = 0
      WHERE ${areOurs(claimed)}`,
  );

/** Seconds for which the oldest delivery that has not been tried has been late. */
export async function findLag(clock: Clock): Promise<number> {
  const [row] = await runSql<{ lag: number | null }>(
    db,
    sql`/* findMailLag */
      SELECT extract(epoch FROM ${nowOf(clock)} - min(next_at))::float8 AS lag FROM deliveries
      WHERE status = 'PLANNED' AND queue NOT IN ('RETRY', 'CODE_RETRY') AND next_at <= ${nowOf(clock)}`,
  );
  return row?.lag ?? 0;
}
