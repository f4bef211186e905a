import { type Clock, nowOf, type Queryable, runSql } from '@taskgate/postgres';
import { Prisma, type Webhook as StoredWebhook } from '../generated/prisma/client.ts';
import type { Viewer } from '../platform/context.ts';
import type { Connections, Database } from '../platform/database.ts';
import type { ValueOf } from '../platform/fields.ts';
import { hasRights } from '../platform/policy.ts';
import type { attemptFields } from './fields.ts';

const { sql, empty } = Prisma;

type StoredAttempt = { [Name in keyof typeof attemptFields]: ValueOf<(typeof attemptFields)[Name]> };

export type WebhookAttempt = Omit<StoredAttempt, 'at'> & { at: Date };

const tokenOf = ({ credential }: Viewer) => (hasRights(credential, 'all') ? null : credential.id);

type Stored =
  | 'id'
  | 'url'
  | 'state'
  | 'createdAt'
  | 'kinds'
  | 'maxChanges'
  | 'reason'
  | 'failingSince'
  | 'deliveredAt'
  | 'position';

export interface Webhook extends Pick<StoredWebhook, Stored> {
  /** Null: any. */
  fields: string[] | null;
  /** Null: all. */
  spaceIds: string[] | null;
  client: string | null;
  attempts: WebhookAttempt[];
  now: Date;
}

/** By creation. A token reaches only its own. One whose token has ended is about to end, too. */
export async function findWebhooks(database: Queryable, viewer: Viewer, id?: string): Promise<Webhook[]> {
  const tokenId = tokenOf(viewer);
  const rows = await runSql<Omit<Webhook, 'attempts'> & { tried: StoredAttempt[] }>(
    database,
    sql`/* findWebhooks */
      SELECT webhooks.id, url, state::text AS state, at AS "createdAt", kinds::text[] AS kinds, nullif(fields, '{}') AS fields,
        webhooks.space_ids AS "spaceIds", max_changes AS "maxChanges", token.name AS client, reason,
        failing_since AS "failingSince", sent_at AS "deliveredAt", position, tried, statement_timestamp() AS now
      FROM webhooks LEFT JOIN access_tokens AS token ON token.id = token_id
      WHERE webhooks.user_id = ${viewer.id} AND coalesce(token.expires_at, 'infinity') > now()
        ${tokenId === null ? empty : sql`AND token_id = ${tokenId}`} ${id === undefined ? empty : sql`AND webhooks.id = ${id}`}
      ORDER BY at, webhooks.id`,
  );
  const dated = (each: StoredAttempt): WebhookAttempt => ({ ...each, at: new Date(each.at) });
  return rows.map(({ tried, ...row }) => ({ ...row, attempts: tried.map(dated) }));
}

export const countWebhooks = (tx: Database, userId: string) => tx.webhook.count({ where: { userId } });

type NewWebhook = Omit<Prisma.WebhookUncheckedCreateInput, 'userId' | 'tokenId' | 'position'>;

/** The position follows. It belongs to the viewer's token, if the viewer is one. */
export const insertWebhook = (tx: Database, viewer: Viewer, webhook: NewWebhook) =>
  tx.webhook.create({ data: { ...webhook, userId: viewer.id, tokenId: tokenOf(viewer), position: '' } });

export interface Changes extends Pick<Prisma.WebhookUpdateInput, 'url' | 'kinds' | 'fields' | 'maxChanges'> {
  position?: string | undefined;
  enabled?: boolean | undefined;
}

/**
 * With other filters, or from another position, the next message is another one, with a new id. One in flight still moves a
 * position that stays: a new one takes its lease away. After a pause, failures count from zero.
 */
export async function changeWebhook(
  tx: Database,
  clock: Clock,
  id: string,
  { url, kinds, fields, maxChanges, position, enabled }: Changes,
): Promise<void> {
  const isOther = [kinds, fields, maxChanges, position].some((each) => each !== undefined);
  const status = enabled ? 'PLANNED' : 'SKIPPED';
  await tx.webhook.updateMany({
    where: { id },
    data: {
      ...{ url, kinds, fields, maxChanges },
      ...(isOther && { messageId: null, message: Prisma.DbNull }),
      ...(position !== undefined && { position, lease: { increment: 1 } }),
      ...(enabled !== undefined && { status, reason: null, failures: 0, failingSince: null, isReported: false }),
    },
  });
  if (position === undefined && !enabled) return;
  // Due now, or after the attempt that another process may be making.
  await runSql(
    tx,
    sql`/* wakeWebhook */
      UPDATE webhooks SET wakes = wakes + 1, next_at = greatest(leased_until, ${nowOf(clock)}) WHERE id = ${id}`,
  );
}

export const deleteWebhook = (tx: Database, id: string) => tx.webhook.deleteMany({ where: { id } });

export interface SealedSecrets {
  secrets: Prisma.Bytes;
  keyName: string;
}

export const findSecrets = (tx: Database, id: string) =>
  tx.webhook.findUnique({ where: { id }, select: { secrets: true } });

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
