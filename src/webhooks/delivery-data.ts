import type { ClaimedRow, OutboxTable } from '@taskgate/outbox';
import { type Clock, nowOf, type Queryable, runSql, seconds } from '@taskgate/postgres';
import type { PolledChange } from '../changes/rules.ts';
import { Prisma, type Webhook } from '../generated/prisma/client.ts';
import type { Connections } from '../platform/database.ts';
import { LogReader } from '../platform/log-reader.ts';
import type { WebhookAttempt } from './data.ts';

const { sql, empty } = Prisma;

/** A change without its task, which each attempt reads again. */
export interface FixedChange extends Pick<PolledChange, 'cursor' | 'kind' | 'taskId' | 'operationId'> {
  changedFields: string[];
  at: string;
  actorId: string | null;
  client: string | null;
  /** Space of its row. */
  spaceId: string;
}

/** Repetitions have the same id, changes and end, without changes that the owner may not see any more. */
export interface FixedMessage {
  changes: FixedChange[];
  /** The next message begins after it. */
  cursor: string;
}

type Stored =
  'userId' | 'url' | 'kinds' | 'fields' | 'maxChanges' | 'secrets' | 'position' | 'messageId' | 'isReported';

/** A webhook during an attempt. */
export interface HeldWebhook extends Pick<Webhook, 'id' | 'lease' | Stored> {
  message: FixedMessage | null;
  isFailing: boolean;
  /** Number of secrets that sign. */
  secretsInUse: 1 | 2;
  /** Number of events that may have made it due, before its changes are read. */
  wakes: string;
  now: Date;
}

const secretSeconds = 24 * 60 * 60;

const columns = (
  clock: Clock,
) => sql`url, user_id AS "userId", kinds::text[] AS kinds, fields, max_changes AS "maxChanges",
  secrets, CASE WHEN rotated_at > ${nowOf(clock)} - ${seconds(secretSeconds)} THEN 2 ELSE 1 END AS "secretsInUse",
  position, message_id AS "messageId", failing_since IS NOT NULL AS "isFailing", is_reported AS "isReported",
  wakes::text AS wakes`;

const heldColumns = (clock: Clock) => sql`id, lease, statement_timestamp() AS now, message, ${columns(clock)}`;

/** A fixed message has up to 256 KiB. Its turn reads it. */
export type ClaimedWebhook = ClaimedRow & HeldWebhook & { message: null };

export const lane = 'MESSAGES';

export const webhooksTable = (clock: Clock): OutboxTable => ({
  name: 'webhooks',
  lane: sql`'MESSAGES'`,
  key: sql`id`,
  columns: sql`NULL AS message, ${columns(clock)}`,
});

/** Seconds between messages with few changes: many writes share a message, and leave time for others. */
export const pauseSeconds = 0.8;

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

/** Not counted as late. */
export const isWorking = sql`failing_since IS NULL`;

export const countFailing = ({ db }: Connections) =>
  db.webhook.count({ where: { status: 'PLANNED', failingSince: { not: null } } });

/** @param lease undefined: of any process, for a test message */
export async function findHeld(
  database: Queryable,
  clock: Clock,
  id: string,
  lease?: number,
): Promise<HeldWebhook | undefined> {
  const [row] = await runSql<HeldWebhook>(
    database,
    sql`/* findHeldWebhook */
      SELECT ${heldColumns(clock)} FROM webhooks
      WHERE ${lease === undefined ? sql`id = ${id}` : sql`${isHeld({ id, lease })} AND status = 'PLANNED'`}`,
  );
  return row;
}

type Held = Pick<HeldWebhook, 'id' | 'lease'>;

/** Condition: only the process that holds the webhook changes it. */
const isHeld = ({ id, lease }: Held) => sql`id = ${id} AND lease = ${lease} AND leased_until IS NOT NULL`;

/** Fixes the next message. Undefined, without effect, if the filters have changed, or the webhook is lost. */
export async function fixMessage(
  connections: Connections,
  clock: Clock,
  hook: HeldWebhook,
  messageId: string,
  { changes, cursor }: FixedMessage,
): Promise<HeldWebhook | undefined> {
  const [fixed] = await runSql<HeldWebhook>(
    connections,
    sql`/* fixWebhookMessage */
      UPDATE webhooks SET message_id = ${messageId}, message = ${JSON.stringify({ changes, cursor })}::jsonb
      WHERE ${isHeld(hook)} AND status = 'PLANNED' AND max_changes = ${hook.maxChanges}
        AND kinds = ${hook.kinds}::"ChangeKind"[] AND fields = ${hook.fields}::text[]
      RETURNING ${heldColumns(clock)}`,
  );
  return fixed;
}

/** Assignment: the last 50 attempts, newest first. */
const adding = (attempt: WebhookAttempt) =>
  sql`tried = jsonb_path_query_array(${JSON.stringify(attempt)}::jsonb || tried, '$[0 to 49]')`;

export const addAttempt = (database: Queryable, id: string, attempt: WebhookAttempt) =>
  runSql(database, sql`/* addWebhookAttempt */ UPDATE webhooks SET ${adding(attempt)} WHERE id = ${id}`);

export interface Progress {
  cursor: string;
  /** Absent if no change passed the filters. */
  taken?: WebhookAttempt | undefined;
  /** Releases the webhook. It is due again if there is more, or something has made it due since it was read. */
  release?: { isDue: boolean; pauseSeconds: number } | undefined;
}

/**
 * Moves the position past changes that the endpoint has taken, or that do not pass. The commit waits for no disk: if it is
 * lost, the same message comes again.
 */
export async function recordProgress(
  connections: Connections,
  clock: Clock,
  hook: HeldWebhook,
  { cursor, taken, release }: Progress,
): Promise<HeldWebhook | undefined> {
  const success = sql`, failures = 0, failing_since = NULL, is_reported = false, reason = NULL, sent_at = ${nowOf(clock)}`;
  const [row] = await runSql<HeldWebhook>(
    connections,
    sql`/* recordTakenMessage */
      UPDATE webhooks SET position = ${cursor}, message_id = NULL, message = NULL
        ${taken ? sql`${success}, ${adding(taken)}` : empty}
        ${
          release
            ? sql`, leased_until = NULL, next_at = CASE WHEN ${release.isDue} OR wakes <> ${hook.wakes}::bigint
                THEN ${nowOf(clock)} + ${seconds(release.pauseSeconds)} END`
            : empty
        }
      WHERE ${isHeld(hook)} AND set_config('synchronous_commit', 'off', true) IS NOT NULL
      RETURNING ${heldColumns(clock)}`,
  );
  return row;
}

const [minute, hour, day] = [60, 60 * 60, 24 * 60 * 60];
/** Seconds after each failure in a row, then hourly, each ± 20 %. */
const pauses = [5, 30, 2 * minute, 10 * minute, 30 * minute];
const [longestPause, reportedAfter, disabledAfter] = [hour, day, 5 * day];

export interface Failure {
  error: string;
  /** Whether the webhook is disabled at once. */
  isFinal: boolean;
  /** Absent if there was no request. */
  attempt?: WebhookAttempt;
  /** Seconds that the endpoint asked for. */
  retryAfter?: number;
}

export interface FailedWebhook {
  email: string;
  reason: string;
  isDisabled: boolean;
  isReported: boolean;
  pauseSeconds: number;
}

/** Releases the webhook. Undefined if another process holds it, or the owner has paused it. */
export async function recordFailure(
  tx: Queryable,
  clock: Clock,
  hook: HeldWebhook,
  { error, isFinal, attempt, retryAfter = 0 }: Failure,
): Promise<FailedWebhook | undefined> {
  const now = nowOf(clock);
  const hasFailedFor = (age: number) => sql`coalesce(failing_since <= ${now} - ${seconds(age)}, false)`;
  const isOver = sql`(NOT ${isFinal} AND ${hasFailedFor(disabledAfter)})`;
  const spread = 0.8 + 0.4 * Math.random();
  const [failed] = await runSql<FailedWebhook>(
    tx,
    sql`/* recordFailedMessage */
      UPDATE webhooks SET failures = failures + 1, failing_since = coalesce(failing_since, ${now}), leased_until = NULL,
        is_reported = is_reported OR ${hasFailedFor(reportedAfter)},
        status = CASE WHEN ${isFinal} OR ${isOver} THEN 'FAILED' ELSE status END,
        reason = CASE WHEN ${isOver} THEN 'It has failed for five days. ' ELSE '' END || ${error},
        next_at = ${now} + make_interval(secs => greatest(
          coalesce((${pauses}::integer[])[failures + 1], ${longestPause}) * ${spread}::float8, least(${retryAfter}::float8, ${longestPause})
        ))
        ${attempt ? sql`, ${adding(attempt)}` : empty}
      WHERE ${isHeld(hook)} AND status = 'PLANNED'
      RETURNING (SELECT email FROM users WHERE users.id = user_id) AS email, reason,
        status = 'FAILED' AS "isDisabled", is_reported AS "isReported", extract(epoch FROM next_at - ${now})::float8 AS "pauseSeconds"`,
  );
  return failed;
}
