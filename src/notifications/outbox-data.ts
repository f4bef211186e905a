import type { ClaimedRow, OutboxTable } from '@taskgate/outbox';
import { type Clock, nowOf, type Queryable, runSql, seconds } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { DeliveryKind } from '../generated/prisma/enums.ts';
import type { Database } from '../platform/database.ts';

const { sql } = Prisma;

interface WrittenDelivery {
  id: string;
  userId: string | null;
  kind: DeliveryKind;
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

/**
 * Makes retries due that are further ahead than any pause: their moments are of a clock that was set back. A process
 * that still sends one renews its lease in the meantime.
 */
export const expediteRetries = (database: Queryable, clock: Clock) =>
  runSql(
    database,
    sql`/* expediteRetries */
      UPDATE deliveries SET next_at = ${nowOf(clock)} + interval '10 seconds'
      WHERE status = 'PLANNED' AND queue IN ('RETRY', 'CODE_RETRY') AND next_at > ${nowOf(clock)} + interval '70 minutes'`,
  );

export interface ClaimedDelivery extends ClaimedRow {
  userId: string | null;
  kind: DeliveryKind;
  occurrence: string;
  taskId: string | null;
  dueAt: Date | null;
  message: Uint8Array | null;
  /** Null if the message contains the address. */
  email: string | null;
  /** Deliveries of the kind to the user in the last minute, and mails in the last hour. */
  ofMinute: number;
  mailsOfHour: number;
  /** Ids of the events in the composed mail, for its end. */
  reported?: readonly string[];
}

/** The mails of a user are claimed together. */
export const deliveriesTable: OutboxTable = {
  name: 'deliveries',
  lane: sql`queue`,
  key: sql`coalesce(user_id, id)`,
  columns: sql`
    claimed.user_id AS "userId", kind, occurrence, task_id AS "taskId", due_at AS "dueAt", message, email,
    coalesce(of_minute, 0) AS "ofMinute", coalesce(of_hour, 0) AS "mailsOfHour"`,
  // Counted once, although the planner expects few claimed mails.
  joins: sql`
    LEFT JOIN (
      WITH counted AS MATERIALIZED (
        SELECT users.id AS user_id, each.kind, email, minute.count AS of_minute, hour.count AS of_hour
        FROM (SELECT DISTINCT user_id, kind, now FROM claimed) AS each JOIN users ON users.id = user_id
        CROSS JOIN LATERAL (
          SELECT count(*)::int FROM deliveries AS recent WHERE recent.user_id = users.id AND recent.kind = each.kind
            AND recent.at > now - interval '2 hours' AND recent.sent_at BETWEEN now - interval '1 minute' AND now + interval '1 minute'
        ) AS minute
        CROSS JOIN LATERAL (
          SELECT count(DISTINCT sent_at)::int FROM deliveries AS recent WHERE recent.user_id = users.id AND recent.kind = each.kind
            AND recent.at > now - interval '3 hours' AND recent.sent_at BETWEEN now - interval '1 hour' AND now + interval '1 minute'
        ) AS hour
      ) SELECT * FROM counted
    ) AS recipient USING (user_id, kind)`,
  atEnd: sql`message = NULL`,
};
