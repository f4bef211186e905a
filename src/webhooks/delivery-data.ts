import type { ClaimedRow, OutboxTable } from '@taskgate/outbox';
import { type Clock, nowOf, type Queryable, runSql, seconds } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Connections } from '../platform/database.ts';
import { LogReader } from '../platform/log-reader.ts';
import { addingAttempt, holding, type Kind, type WebhookAttempt } from './data.ts';

const { sql, raw, empty } = Prisma;

export const lane = 'MESSAGES';

/** Position and filters of the next message. */
export interface MessageSource {
  id: string;
  lease: number;
  kinds: Kind[];
  fields: string[] | null;
  maxChanges: number;
  position: string;
  messageId: string | null;
  /** Counts possible causes to become due. Read before the changes. */
  wakes: string;
}

const sourceColumns = sql`kinds::text[] AS kinds, fields, max_changes AS "maxChanges", position,
  message_id AS "messageId", wakes::text AS wakes`;

export interface ClaimedWebhook extends ClaimedRow, MessageSource {
  userId: string;
  isFailing: boolean;
}

export const webhooksTable: OutboxTable = {
  name: 'webhooks',
  lane: raw(`'${lane}'`),
  key: sql`id`,
  columns: sql`user_id AS "userId", failing_since IS NOT NULL AS "isFailing", ${sourceColumns}`,
};

/** Between messages with few changes: many writes share a message, and leave time for others. */
export const pauseSeconds = 1;

/** Makes webhooks due whose spaces changed, unless they wait for their next attempt. */
export function wakingReader(clock: Clock): LogReader {
  const soon = sql`${nowOf(clock)} + ${seconds(pauseSeconds)}`;
  // The clock may have been set back since the last message, failure or lease. A process renews its lease by the new clock.
  const isNullOrAhead = (column: string) => sql`coalesce(${raw(column)} > ${nowOf(clock)} + interval '1 minute', true)`;
  const next = sql`least(coalesce(next_at, greatest(${nowOf(clock)}, sent_at + ${seconds(pauseSeconds)})),
        CASE WHEN ${isNullOrAhead('failing_since')} THEN ${soon} END)`;
  const wakeOf = (members: Prisma.Sql) => sql`
    UPDATE webhooks SET wakes = wakes + 1,
      next_at = CASE WHEN ${isNullOrAhead('leased_until')} THEN ${next} ELSE next_at END
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

/** Delay of the oldest due message in seconds, without failing webhooks. */
export async function findLag(connections: Connections, clock: Clock): Promise<number> {
  const [row] = await runSql<{ lag: number | null }>(
    connections,
    sql`/* findWebhookLag */
      SELECT extract(epoch FROM ${nowOf(clock)} - min(next_at))::float8 AS lag FROM webhooks
      WHERE status = 'PLANNED' AND next_at <= ${nowOf(clock)} AND failing_since IS NULL`,
  );
  return row?.lag ?? 0;
}

export async function countFailing(connections: Connections): Promise<number> {
  const [row] = await runSql<{ count: number }>(
    connections,
    sql`/* countFailingWebhooks */
      SELECT count(*)::int AS count FROM webhooks WHERE status = 'PLANNED' AND failing_since IS NOT NULL`,
  );
  return row?.count ?? 0;
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

/** The same in each repetition of a message. */
export interface FixedMessage {
  changes: FixedChange[];
  /** The next message begins after it. */
  cursor: string;
}

/** A webhook during an attempt. */
export interface HeldWebhook extends MessageSource {
  url: string;
  secrets: Prisma.Bytes;
  /** Whether the secret before the last rotation signs, too. */
  signsTwice: boolean;
  message: FixedMessage | null;
  now: Date;
}

const secretSeconds = 24 * 60 * 60;

const heldColumns = (clock: Clock) => sql`id, lease, ${sourceColumns}, url, secrets,
  coalesce(rotated_at > ${nowOf(clock)} - ${seconds(secretSeconds)}, false) AS "signsTwice",
  statement_timestamp() AS now`;

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
    sql`/* findHeldWebhook */ SELECT ${heldColumns(clock)}, message FROM webhooks WHERE id = ${id} ${isHeld}`,
  );
  return row;
}

/** A message that the endpoint has taken. The next one begins at `cursor`. */
export interface TakenMessage {
  cursor: string;
  tried: WebhookAttempt;
}

/** Only while the process holds the webhook, and nobody has moved it. */
const isHeld = ({ id, lease, position, messageId }: MessageSource) => sql`
  id = ${id} AND lease = ${lease} AND leased_until IS NOT NULL
  AND position = ${position} AND message_id IS NOT DISTINCT FROM ${messageId}`;

const success = (clock: Clock) =>
  sql`, failures = 0, failing_since = NULL, is_reported = false, reason = NULL, sent_at = ${nowOf(clock)}`;

/**
 * Fixes the next message, and records the one before it, in one commit.
 * @param stored the message as JSON
 * @returns undefined, without effect, if the webhook has been moved, changed or lost
 */
export async function fixMessage(
  connections: Connections,
  clock: Clock,
  hook: MessageSource,
  taken: TakenMessage | undefined,
  messageId: string,
  { message, stored }: { message: FixedMessage; stored: string },
): Promise<HeldWebhook | undefined> {
  const [fixed] = await runSql<Omit<HeldWebhook, 'message'>>(
    connections,
    sql`/* fixWebhookMessage */
      WITH fixed AS (
        UPDATE webhooks SET message_id = ${messageId}, message = ${stored}::jsonb
          ${taken ? sql`, position = ${taken.cursor} ${success(clock)}` : empty}
        WHERE ${isHeld(hook)} AND status = 'PLANNED' AND max_changes = ${hook.maxChanges}
          AND kinds = ${hook.kinds}::"ChangeKind"[] AND fields IS NOT DISTINCT FROM ${hook.fields}::text[]
        RETURNING ${heldColumns(clock)}
      ) ${taken ? sql`, ${addingAttempt(hook.id, taken.tried, sql`fixed`)}` : empty}
      SELECT * FROM fixed`,
  );
  return fixed && { ...fixed, message };
}

/**
 * Moves the position past changes that the endpoint has taken, or that do not pass. The commit waits for no disk: if it is
 * lost, the same message comes again.
 * @param release absent: the lease goes on
 */
export const moveOn = (
  connections: Connections,
  clock: Clock,
  hook: MessageSource,
  { cursor, taken }: { cursor: string; taken: TakenMessage | undefined },
  release?: { isDue: boolean; pauseSeconds: number },
) =>
  runSql(
    connections,
    sql`/* recordTakenMessage */
      ${taken ? sql`WITH ${holding(hook.id)}, ${addingAttempt(hook.id, taken.tried)}` : empty}
      UPDATE webhooks SET position = ${cursor}, message_id = NULL, message = NULL ${taken ? success(clock) : empty}
        ${release ? sql`, ${released(clock, hook, release)}` : empty}
      WHERE ${isHeld(hook)} ${taken ? sql`AND EXISTS (SELECT FROM held)` : empty}
        AND set_config('synchronous_commit', 'off', true) IS NOT NULL`,
  );

/** Due again after a pause if there is more, or anything has changed since it was read. */
const released = (
  clock: Clock,
  { wakes }: MessageSource,
  { isDue, pauseSeconds }: { isDue: boolean; pauseSeconds: number },
) =>
  sql`leased_until = NULL,
    next_at = CASE WHEN ${isDue} OR wakes <> ${wakes}::bigint THEN ${nowOf(clock)} + ${seconds(pauseSeconds)} END`;

/** Releases a webhook for another attempt at once. */
export const releaseWebhook = (connections: Connections, clock: Clock, { id, lease }: { id: string; lease: number }) =>
  runSql(
    connections,
    sql`/* releaseWebhook */
      UPDATE webhooks SET leased_until = NULL, next_at = ${nowOf(clock)}
      WHERE id = ${id} AND lease = ${lease} AND leased_until IS NOT NULL`,
  );

export interface Failing {
  url: string;
  userId: string;
  email: string;
  failures: number;
  /** Seconds since the first failure. */
  failingSeconds: number;
  isReported: boolean;
}

/** Locks the webhook. Undefined if another process holds it, or the owner has changed its state. */
export async function lockFailing(tx: Queryable, clock: Clock, hook: MessageSource): Promise<Failing | undefined> {
  const [row] = await runSql<Failing>(
    tx,
    sql`/* lockFailingWebhook */
      SELECT url, webhooks.user_id AS "userId", users.email, failures, is_reported AS "isReported",
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
export const recordFailure = (tx: Queryable, clock: Clock, { id }: MessageSource, failure: Failure) =>
  runSql(
    tx,
    sql`/* recordFailedMessage */
      UPDATE webhooks SET failures = failures + 1, failing_since = least(failing_since, ${nowOf(clock)}),
        is_reported = ${failure.isReported}, reason = ${failure.reason}, leased_until = NULL,
        next_at = ${nowOf(clock)} + ${seconds(failure.pauseSeconds)},
        status = CASE WHEN ${failure.isDisabled} THEN 'FAILED' ELSE 'PLANNED' END::"DeliveryStatus"
      WHERE id = ${id}`,
  );
