import { Prisma } from '../generated/prisma/client.ts';
import type { DeliveryKind, DeliveryQueue } from '../generated/prisma/enums.ts';
import type { Database } from '../database/database.ts';
import { db } from '../database/database.ts';
import { prune } from '../database/prune.ts';
import { runSql } from '../database/statements.ts';
import type { Clock } from './clock.ts';

const { sql } = Prisma;

/** The moment by which all is planned and sent. */
export const nowOf = ({ heldAt }: Clock): Prisma.Sql =>
  heldAt ? sql`${heldAt.toISOString()}::timestamptz` : sql`statement_timestamp()`;

/** An interval. */
export const seconds = (count: number) => sql`make_interval(secs => ${count}::float8)`;

/** A mail whose address and content are known when it is planned; it is sent at once. */
export interface WrittenDelivery {
  id: string;
  userId: string | null;
  kind: 'CODE' | 'NOTICE' | 'TEST';
  message: Buffer;
  /** From when on it is not worth sending. */
  validSeconds: number;
}

export const insertWritten = (database: Database, clock: Clock, delivery: WrittenDelivery) =>
  runSql(
    database,
    sql`/* insertDelivery */
      INSERT INTO deliveries (id, user_id, kind, occurrence, at, expires_at, next_at, message)
      SELECT ${delivery.id}, ${delivery.userId}, ${delivery.kind}::"DeliveryKind", ${delivery.id},
        now, now + ${seconds(delivery.validSeconds)}, now, ${delivery.message}
      FROM (SELECT ${nowOf(clock)} AS now) AS clock`,
  );

/** Gives a mail to the account that was made by it. */
export const adopt = (tx: Database, id: string, userId: string) =>
  tx.delivery.updateMany({ where: { id }, data: { userId } });

/** A delivery that this process has taken up to send, until its lease ends. */
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
  /** When it was taken up. */
  now: Date;
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

/**
 * Takes up what is to be sent now of a queue, the oldest first; no other process does so before the lease ends.
 * @param leaseSeconds it has to be ended, or given back, within that
 */
export const take = (
  clock: Clock,
  queue: DeliveryQueue,
  limit: number,
  leaseSeconds: number,
): Promise<ClaimedDelivery[]> =>
  runSql<ClaimedDelivery>(
    db,
    sql`/* takeDeliveries */
      WITH clock AS MATERIALIZED (SELECT ${nowOf(clock)} AS now), due AS MATERIALIZED (
        SELECT id FROM deliveries WHERE queue = ${queue}::"DeliveryQueue" AND status = 'PLANNED' AND next_at <= ${nowOf(clock)}
        ORDER BY next_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )
      UPDATE deliveries SET attempts = attempts + 1, lease = lease + 1,
        next_at = now + ${seconds(leaseSeconds)}, leased_until = now + ${seconds(leaseSeconds)}
      FROM clock WHERE id IN (SELECT id FROM due)
      RETURNING id, user_id AS "userId", kind, occurrence, task_id AS "taskId", due_at AS "dueAt", at,
        expires_at AS "expiresAt", attempts, lease, message, now`,
  );

/** Keeps what this process has taken up from others for so long again. @returns ids of what is still its own */
export async function renew(
  clock: Clock,
  taken: readonly ClaimedDelivery[],
  leaseSeconds: number,
): Promise<Set<string>> {
  const rows = await runSql<{ id: string }>(
    db,
    sql`/* renewLeases */
      UPDATE deliveries SET next_at = ${nowOf(clock)} + ${seconds(leaseSeconds)},
        leased_until = ${nowOf(clock)} + ${seconds(leaseSeconds)}
      FROM unnest(${taken.map(({ id }) => id)}::text[], ${taken.map(({ lease }) => lease)}::integer[])
        AS taken (id, lease)
      WHERE deliveries.id = taken.id AND deliveries.lease = taken.lease AND leased_until IS NOT NULL
      RETURNING deliveries.id`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Whether it is still this process that has it: the lease may have ended, or what it was for. */
const isOurs = ({ id, lease }: ClaimedDelivery) => sql`id = ${id} AND lease = ${lease} AND status = 'PLANNED'`;

/** What has become of a delivery. */
export type Ended = { status: 'SENT'; reason?: never } | { status: 'SKIPPED' | 'FAILED'; reason: string };

/**
 * Ends a delivery, and has its space looked at anew: what a reminder was skipped for may have changed by then, and so may a user's
 * preferences after a digest.
 * @returns whether it was still this process that had it
 */
export async function end(
  clock: Clock,
  taken: ClaimedDelivery,
  { status, reason }: Ended,
  database: Database = db,
): Promise<boolean> {
  const rows = await runSql(
    database,
    sql`/* endDelivery */
      WITH ended AS (
        UPDATE deliveries SET status = ${status}::"DeliveryStatus", reason = ${reason ?? null}, message = NULL,
          leased_until = NULL, sent_at = ${status === 'SENT' ? nowOf(clock) : sql`NULL`}
        WHERE ${isOurs(taken)} RETURNING id, kind, space_id, user_id, status
      ), queued AS (
        INSERT INTO planning_queue (space_id) SELECT coalesce(space_id, user_id) FROM ended
        WHERE kind = 'DIGEST' OR kind = 'REMINDER' AND status = 'SKIPPED'
      )
      SELECT id FROM ended`,
  );
  return rows.length > 0;
}

/** Gives a delivery back, to be tried again. @param pauseSeconds after which, but no later than when it expires */
export const tryAgain = (clock: Clock, taken: ClaimedDelivery, pauseSeconds: number) =>
  runSql(
    db,
    sql`/* retryDelivery */
      UPDATE deliveries SET next_at = least(${nowOf(clock)} + ${seconds(pauseSeconds)}, expires_at), leased_until = NULL
      WHERE ${isOurs(taken)}`,
  );

/** Gives a delivery back that nothing was tried of. */
export const giveBack = (taken: ClaimedDelivery) =>
  runSql(
    db,
    sql`/* giveDeliveryBack */
      UPDATE deliveries SET next_at = ${taken.now}::timestamptz, leased_until = NULL, attempts = attempts - 1
      WHERE ${isOurs(taken)}`,
  );

/** Gives a delivery back that is for a later moment by now, as if it had not been tried. */
export const postpone = (taken: ClaimedDelivery, at: Date) =>
  runSql(
    db,
    sql`/* postponeDelivery */
      UPDATE deliveries SET at = ${at}::timestamptz, next_at = ${at}::timestamptz, leased_until = NULL, attempts = 0
      WHERE ${isOurs(taken)}`,
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

/** Days for which it is told what has become of a mail: longer than reminders are planned ahead of what they remind of. */
const keptDays = 90;

/** Forgets mails of long ago; none of what they were about is due any more. @returns how many */
export const pruneDeliveries = () =>
  prune({ table: 'deliveries', key: 'id', moment: 'at', keptSeconds: keptDays * 24 * 60 * 60 });
