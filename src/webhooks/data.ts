import { type Clock, nowOf, type Queryable, runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { WebhookState } from '../generated/prisma/enums.ts';
import type { Viewer } from '../platform/context.ts';
import type { Connections, Database } from '../platform/database.ts';
import { hasRights } from '../platform/policy.ts';
import type { changeKinds } from './input.ts';

const { sql, raw, empty } = Prisma;

export type Kind = (typeof changeKinds)[number];

export interface Webhook {
  id: string;
  url: string;
  state: WebhookState;
  createdAt: Date;
  kinds: Kind[];
  fields: string[] | null;
  spaceIds: string[] | null;
  maxChanges: number;
  client: string | null;
  reason: string | null;
  failingSince: Date | null;
  deliveredAt: Date | null;
}

const columns = raw(`webhooks.id, webhooks.url, webhooks.state::text AS state, webhooks.at AS "createdAt",
  webhooks.kinds::text[] AS kinds, webhooks.fields, webhooks.space_ids AS "spaceIds", webhooks.max_changes AS "maxChanges",
  token.name AS client, webhooks.reason, webhooks.failing_since AS "failingSince", webhooks.sent_at AS "deliveredAt"`);

/** Of the viewer: a token reaches only its own. One whose token has ended is about to end, too. */
const own = (viewer: Viewer, id?: string) => sql`
  webhooks.user_id = ${viewer.id} AND coalesce(token.expires_at, 'infinity') > now()
  ${hasRights(viewer.credential, 'all') ? empty : sql`AND webhooks.token_id = ${viewer.credential.id}`}
  ${id === undefined ? empty : sql`AND webhooks.id = ${id}`}`;

const tables = raw('webhooks LEFT JOIN access_tokens AS token ON token.id = webhooks.token_id');

/** By creation. */
export const findWebhooks = (database: Queryable, viewer: Viewer, id?: string): Promise<Webhook[]> =>
  runSql<Webhook>(
    database,
    sql`/* findWebhooks */ SELECT ${columns} FROM ${tables} WHERE ${own(viewer, id)} ORDER BY webhooks.at, webhooks.id`,
  );

export const countWebhooks = (tx: Database, userId: string) => tx.webhook.count({ where: { userId } });

export interface SealedSecrets {
  secrets: Prisma.Bytes;
  keyName: string;
}

export type NewWebhook = Pick<Webhook, 'id' | 'url' | 'kinds' | 'fields' | 'spaceIds' | 'maxChanges'> & SealedSecrets;

/** The position follows. It belongs to the viewer's token, if the viewer is one. */
export const insertWebhook = (tx: Queryable, viewer: Viewer, { spaceIds, ...hook }: NewWebhook) =>
  runSql(
    tx,
    sql`/* insertWebhook */
      INSERT INTO webhooks (id, user_id, token_id, url, kinds, fields, space_ids, max_changes, secrets, key_name, position)
      VALUES (${hook.id}, ${viewer.id}, ${hasRights(viewer.credential, 'all') ? null : viewer.credential.id}, ${hook.url},
        ${hook.kinds}::"ChangeKind"[], ${hook.fields}::text[], ${spaceIds}::text[], ${hook.maxChanges}, ${hook.secrets}::bytea,
        ${hook.keyName}, '')`,
  );

/** The messages from there have new ids. */
export const setPosition = (tx: Queryable, clock: Clock, id: string, position: string) =>
  runSql(
    tx,
    sql`/* moveWebhook */
      UPDATE webhooks SET position = ${position}, message_id = NULL, message = NULL, wakes = wakes + 1, next_at = ${soon(clock)}
      WHERE id = ${id}`,
  );

/** Now, or after the attempt that another process may be making. */
const soon = (clock: Clock) => sql`CASE WHEN leased_until > ${nowOf(clock)} THEN leased_until ELSE ${nowOf(clock)} END`;

export type Changes = Partial<Pick<Webhook, 'url' | 'kinds' | 'fields' | 'maxChanges'>>;

/** Other filters empty the fixed message, which is then read again. It keeps its id: one in flight still moves the position. */
export const changeWebhook = (tx: Queryable, id: string, { url, kinds, fields, maxChanges }: Changes) => {
  const isOther = kinds !== undefined || fields !== undefined || maxChanges !== undefined;
  return runSql(
    tx,
    sql`/* changeWebhook */
      UPDATE webhooks SET url = coalesce(${url ?? null}, url), kinds = coalesce(${kinds ?? null}::"ChangeKind"[], kinds),
        max_changes = coalesce(${maxChanges ?? null}::int, max_changes)
        ${fields === undefined ? empty : sql`, fields = ${fields}::text[]`}
        ${isOther ? sql`, message = CASE WHEN message IS NOT NULL THEN 'null'::jsonb END` : empty}
      WHERE id = ${id}`,
  );
};

/** Resumes or pauses. Both clear the reason and the failures. */
export const setEnabled = (tx: Queryable, clock: Clock, id: string, enabled: boolean) =>
  runSql(
    tx,
    sql`/* enableWebhook */
      UPDATE webhooks SET reason = NULL, failures = 0, failing_since = NULL, is_reported = false, wakes = wakes + 1,
        status = ${raw(enabled ? `'PLANNED'` : `'SKIPPED'`)}, next_at = ${soon(clock)}
      WHERE id = ${id}`,
  );

export const deleteWebhook = (tx: Database, id: string) => tx.webhook.deleteMany({ where: { id } });

export const findSecrets = async (tx: Database, id: string) =>
  (await tx.webhook.findFirst({ where: { id }, select: { secrets: true } }))?.secrets;

export const rotateSecrets = (tx: Queryable, clock: Clock, id: string, { secrets, keyName }: SealedSecrets) =>
  runSql(
    tx,
    sql`/* rotateWebhookSecret */
      UPDATE webhooks SET secrets = ${secrets}::bytea, key_name = ${keyName}, rotated_at = ${nowOf(clock)} WHERE id = ${id}`,
  );

export const findSealedByOthers = ({ db }: Connections, keyName: string, after: string) =>
  db.webhook.findMany({
    where: { id: { gt: after }, keyName: { not: keyName } },
    select: { id: true, secrets: true },
    orderBy: { id: 'asc' },
    take: 100,
  });

/** Skips secrets that have changed since. */
export const reseal = (
  connections: Connections,
  id: string,
  before: Prisma.Bytes,
  { secrets, keyName }: SealedSecrets,
) =>
  runSql(
    connections,
    sql`UPDATE webhooks SET secrets = ${secrets}::bytea, key_name = ${keyName} WHERE id = ${id} AND secrets = ${before}::bytea`,
  );

export interface WebhookAttempt {
  messageId: string;
  type: string;
  at: Date;
  ms: number;
  changes: number;
  status: number | null;
  error: string | null;
}

const keptAttempts = 50;

/** Of the webhooks, newest first. */
export const findAttempts = (connections: Connections, ids: readonly string[]) =>
  runSql<WebhookAttempt & { webhookId: string }>(
    connections,
    sql`/* findWebhookAttempts */
      SELECT tried.webhook_id AS "webhookId", message_id AS "messageId", type, at, ms, changes, status, error
      FROM unnest(${[...ids]}::text[]) AS wanted (id) CROSS JOIN LATERAL (
        SELECT * FROM webhook_attempts WHERE webhook_id = wanted.id ORDER BY webhook_attempts.id DESC LIMIT ${keptAttempts}
      ) AS tried
      ORDER BY tried.id DESC`,
  );

/** Common table expression `held`: the webhook, which others cannot delete until the end of the statement. */
export const holding = (webhookId: string) =>
  sql`held AS MATERIALIZED (SELECT id FROM webhooks WHERE id = ${webhookId} FOR KEY SHARE)`;

/** Common table expressions that add an attempt if the table has the webhook, and keep the last 50. */
export const addingAttempt = (webhookId: string, tried: WebhookAttempt, table = sql`held`) => sql`
  old AS (
    DELETE FROM webhook_attempts WHERE id IN (
      SELECT id FROM webhook_attempts WHERE webhook_id = ${webhookId} ORDER BY id DESC OFFSET ${keptAttempts - 1}
    )
  ), added AS (
    INSERT INTO webhook_attempts (webhook_id, message_id, type, at, ms, changes, status, error)
    SELECT id, ${tried.messageId}, ${tried.type}, ${tried.at}::timestamptz, ${tried.ms}, ${tried.changes},
      ${tried.status}::int, ${tried.error}
    FROM ${table} WHERE id = ${webhookId}
  )`;

export const insertAttempt = (database: Queryable, webhookId: string, tried: WebhookAttempt) =>
  runSql(
    database,
    sql`/* insertWebhookAttempt */ WITH ${holding(webhookId)}, ${addingAttempt(webhookId, tried)} SELECT`,
  );
