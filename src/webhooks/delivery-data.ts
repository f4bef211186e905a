import type { ClaimedRow, OutboxTable } from '@taskgate/outbox';
import { type Clock, nowOf, type Queryable, runSql, seconds } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Connections } from '../platform/database.ts';
import { LogReader } from '../platform/log-reader.ts';
import { addingAttempt, type Kind, type TriedMessage } from './data.ts';

const { sql, empty } = Prisma;

export const lane = 'MESSAGES';

export interface ClaimedWebhook extends ClaimedRow {
  userId: string;
  isFailing: boolean;
}

export const webhooksTable: OutboxTable = {
  name: 'webhooks',
  lane: sql`'MESSAGES'`,
  key: sql`id`,
  columns: sql`user_id AS "userId", failing_since IS NOT NULL AS "isFailing"`,
};

/** Between messages with few changes: many writes share a message, and leave time for others. */
const pauseSeconds = 0.8;

/** Makes webhooks due whose spaces changed, unless they wait for their next attempt. */
export function wakingReader(clock: Clock): LogReader {
  const wakeOf = (members: Prisma.Sql) => sql`
    UPDATE webhooks SET wakes = wakes + 1,
      next_at = CASE WHEN leased_until IS NULL THEN coalesce(next_at, greatest(${nowOf(clock)}, sent_at + ${seconds(pauseSeconds)})) ELSE next_at END
    FROM (SELECT DISTINCT user_id, space_id FROM ${members}) AS changed
    WHERE status = 'PLANNED' AND webhooks.user_id = changed.user_id
      AND (space_ids IS NULL OR changed.space_id = ANY (space_ids))`;
  return new LogReader('webhooks', {
    changes: wakeOf(sql`page JOIN memberships USING (space_id)`),
    spaces: wakeOf(sql`page JOIN memberships ON memberships.space_id = page.id`),
  });
}

export async function hasPage(connections: Connections, reader: LogReader): Promise<boolean> {
  const [row] = await runSql<{ has: boolean }>(connections, sql`/* findWebhookWork */ SELECT ${reader.hasPage} AS has`);
  return row?.has === true;
}

/** A change without its task, which each attempt reads again. */
export interface FixedChange {
  cursor: string;
  kind: Kind;
  taskId: string;
  changedFields: string[];
  operationId: string;
  at: string;
  actorId: string | null;
  client: string | null;
  /** Space of its row. */
  spaceId: string;
}

/** What repeated messages have in common. */
export interface FixedMessage {
  changes: FixedChange[];
  /** The next message begins after it. */
  cursor: string;
}

/** A webhook during an attempt. */
export interface HeldWebhook {
  id: string;
  lease: number;
  url: string;
  kinds: Kind[];
  fields: string[] | null;
  maxChanges: number;
  secrets: Prisma.Bytes;
  /** Whether the secret before the last rotation signs, too. */
  signsTwice: boolean;
  position: string;
  messageId: string | null;
  message: FixedMessage | null;
  wakes: string;
  now: Date;
}

const secretSeconds = 24 * 60 * 60;

/** @param lease null: in any state, for a test */
export async function findHeld(
  database: Queryable,
  clock: Clock,
  id: string,
  lease: number | null,
): Promise<HeldWebhook | undefined> {
  const isHeld = lease === null ? empty : sql`AND lease = ${lease} AND status = 'PLANNED' AND leased_until IS NOT NULL`;
  const [row] = await runSql<HeldWebhook>(
    database,
    sql`/* findHeldWebhook */
      SELECT id, lease, url, kinds::text[] AS kinds, fields, max_changes AS "maxChanges", secrets,
        coalesce(rotated_at > ${nowOf(clock)} - ${seconds(secretSeconds)}, false) AS "signsTwice", position,
        message_id AS "messageId", message, wakes::text AS wakes, statement_timestamp() AS now
      FROM webhooks WHERE id = ${id} ${isHeld}`,
  );
  return row;
}

/** Only while the process holds the webhook, and nobody has moved it. */
const isHeld = ({ id, lease, position }: HeldWebhook) =>
  sql`id = ${id} AND lease = ${lease} AND position = ${position} AND leased_until IS NOT NULL`;

/** Fixes the next message. @returns false if the webhook has been moved, changed or lost */
export async function fixMessage(
  connections: Connections,
  hook: HeldWebhook,
  messageId: string,
  message: FixedMessage,
): Promise<boolean> {
  const rows = await runSql(
    connections,
    sql`/* fixWebhookMessage */
      UPDATE webhooks SET message_id = ${messageId}, message = ${JSON.stringify(message)}::jsonb
      WHERE ${isHeld(hook)} AND status = 'PLANNED' RETURNING id`,
  );
  return rows.length > 0;
}

const released = (clock: Clock, hook: HeldWebhook, hasMore: boolean) => sql`
  leased_until = NULL, next_at = CASE WHEN ${hasMore} OR wakes <> ${hook.wakes}::bigint THEN ${nowOf(clock)} END`;

/** Moves the position past changes that do not pass, and releases the webhook. */
export const passChanges = (
  connections: Connections,
  clock: Clock,
  hook: HeldWebhook,
  { position, hasMore }: { position: string; hasMore: boolean },
) =>
  runSql(
    connections,
    sql`/* passWebhookChanges */
      UPDATE webhooks SET position = ${position}, message_id = NULL, message = NULL, ${released(clock, hook, hasMore)}
      WHERE ${isHeld(hook)}`,
  );

/** Releases a webhook for another attempt at once. */
export const releaseWebhook = (connections: Connections, clock: Clock, { id, lease }: { id: string; lease: number }) =>
  runSql(
    connections,
    sql`/* releaseWebhook */
      UPDATE webhooks SET leased_until = NULL, next_at = ${nowOf(clock)}
      WHERE id = ${id} AND lease = ${lease} AND leased_until IS NOT NULL`,
  );

/** Records that the endpoint took the message. With more changes, the lease goes on. */
export const recordTaken = (
  connections: Connections,
  clock: Clock,
  hook: HeldWebhook,
  { position, hasMore }: { position: string; hasMore: boolean },
  tried: TriedMessage,
) => {
  const rest = sql`leased_until = NULL,
    next_at = CASE WHEN wakes <> ${hook.wakes}::bigint THEN ${nowOf(clock)} + ${seconds(pauseSeconds)} END,`;
  return runSql(
    connections,
    sql`/* recordTakenMessage */
      WITH ${addingAttempt(hook.id, tried)}
      UPDATE webhooks SET position = ${position}, message_id = NULL, message = NULL, failures = 0, failing_since = NULL,
        ${hasMore ? empty : rest} is_reported = false, reason = NULL, sent_at = ${nowOf(clock)}
      WHERE ${isHeld(hook)}`,
  );
};

export interface Failing {
  userId: string;
  email: string;
  failures: number;
  /** Seconds since the first failure. */
  failingSeconds: number;
  isReported: boolean;
}

/** Locks the webhook. Undefined if another process holds it, or the owner has changed its state. */
export async function lockFailing(tx: Queryable, clock: Clock, hook: HeldWebhook): Promise<Failing | undefined> {
  const [row] = await runSql<Failing>(
    tx,
    sql`/* lockFailingWebhook */
      SELECT webhooks.user_id AS "userId", users.email, failures, is_reported AS "isReported",
        extract(epoch FROM ${nowOf(clock)} - coalesce(failing_since, ${nowOf(clock)}))::float8 AS "failingSeconds"
      FROM webhooks JOIN users ON users.id = webhooks.user_id
      WHERE webhooks.id = ${hook.id} AND lease = ${hook.lease} AND status = 'PLANNED' AND leased_until IS NOT NULL
      FOR UPDATE OF webhooks`,
  );
  return row;
}

export interface Failure {
  reason: string;
  pauseSeconds: number;
  isDisabled: boolean;
  isReported: boolean;
}

/** Releases the webhook. */
export const recordFailure = (tx: Queryable, clock: Clock, { id }: HeldWebhook, failure: Failure) =>
  runSql(
    tx,
    sql`/* recordFailedMessage */
      UPDATE webhooks SET failures = failures + 1, failing_since = coalesce(failing_since, ${nowOf(clock)}),
        is_reported = ${failure.isReported}, reason = ${failure.reason}, leased_until = NULL,
        next_at = ${nowOf(clock)} + ${seconds(failure.pauseSeconds)},
        status = CASE WHEN ${failure.isDisabled} THEN 'FAILED' ELSE 'PLANNED' END::"DeliveryStatus"
      WHERE id = ${id}`,
  );
