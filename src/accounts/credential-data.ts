import DataLoader from 'dataloader';
import { groupBy } from '@taskgate/base';
import { currentTransaction, parsePoint, prepared, type Queryable, runSql } from '@taskgate/postgres';
import { FairQueue } from '@taskgate/work';
import { Prisma } from '../generated/prisma/client.ts';
import type { Connections } from '../platform/database.ts';
import type { Credential, Viewer } from '../platform/context.ts';
import type { Role } from '../platform/roles.ts';
import type { CredentialName } from './credentials.ts';
import { idleSeconds, maxAgeSeconds, renewalSeconds } from './sessions/data.ts';

const { raw, sql } = Prisma;

/** A row of the result: one for each space, or one without a space. */
interface ViewerRow extends Omit<Credential, 'spaceIds'> {
  key: string;
  userId: string;
  limit: Credential['spaceIds'];
  /** Null if missing: a fault. */
  inboxId: string | null;
  spaceId: string | null;
  role: Role | null;
  /** Revision and history nonce. */
  point: string | null;
  relatedRevision: string | null;
}

/** @throws Error if the inbox or the personal space is missing */
function toViewer(connections: Connections, rows: CredentialRows): Viewer {
  const [first] = rows;
  const { key: sessionId, userId, id, label, rights, limit: spaceIds } = first;
  const isPersonal = spaceIds?.includes(userId) ?? true;
  const own = rows.find(({ spaceId }) => spaceId === userId);
  if (first.inboxId === null || !own) throw new Error(`the account ${userId} lacks its inbox or its personal space`);
  const reachedRows = isPersonal ? rows : rows.filter((row) => row !== own);
  const reached = reachedRows.flatMap(({ spaceId, point }) =>
    spaceId === null ? [] : [[spaceId, point ?? ''] as const],
  );
  const sorted = reached.sort(([one], [other]) => (one < other ? -1 : 1));
  const points = new Map(sorted.map(([space, point]) => [space, parsePoint(point, 10)]));
  return {
    id: userId,
    sessionId,
    credential: { id, label, rights, spaceIds },
    inboxId: isPersonal ? first.inboxId : null,
    spaceIds: [...points.keys()],
    roles: new Map(
      reachedRows.flatMap(({ spaceId, role }) => (spaceId === null || role === null ? [] : [[spaceId, role]])),
    ),
    points,
    states: new Map(points).set(userId, parsePoint(own.point ?? '', 10)),
    connections,
    relatedRevision: String(rows.reduce((sum, row) => sum + BigInt(row.relatedRevision ?? 0), 0n)),
  };
}

export interface LiveCredential {
  viewer: Viewer;
  /** The last recorded use is an hour old. */
  renewalDue: boolean;
  /** Lifetime of a renewed session in seconds. */
  lifetime: number;
}

const viewerColumns = `own.key, own.user_id AS "userId", own.id, own.label, own.rights, own.space_ids AS "limit",
  inbox.id AS "inboxId", spaces.id AS "spaceId", memberships.role, spaces.revision || '.' || spaces.history_nonce AS point,
  related.revision::text AS "relatedRevision"`;

/** Aggregating spaces takes longer than sending them. */
const viewerTables = (credentials: string) => `${credentials} AS own
  LEFT JOIN projects AS inbox ON inbox.space_id = own.user_id AND inbox.is_default
  LEFT JOIN (
    memberships JOIN spaces ON spaces.id = memberships.space_id
    JOIN related_revisions AS related ON related.space_id = memberships.space_id
  ) ON memberships.user_id = own.user_id AND (own.space_ids IS NULL OR memberships.space_id = ANY (own.space_ids || own.user_id))`;

/** Lookups in one statement. */
const maxLookups = 1000;

interface Access<Of> {
  viewer: Of | null;
  /** Time of the process clock just before the statement. */
  at: number;
}

type CredentialRows = readonly [ViewerRow, ...ViewerRow[]];

export class Credentials {
  readonly #connections: Connections;
  readonly #reads: FairQueue;
  /** Combines concurrent lookups. Caches nothing. */
  readonly #accesses: DataLoader<string, Access<CredentialRows>>;

  constructor(connections: Connections) {
    this.#connections = connections;
    const slots = () => connections.sessionPool.options.max;
    this.#reads = new FairQueue({ name: 'credentials', slots, slotsPerKey: 2, idle: 'all' });
    this.#accesses = new DataLoader(
      (keys) => {
        // A later lookup needs a later read.
        this.#accesses.clearAll();
        return this.#loadViewers(keys);
      },
      { maxBatchSize: maxLookups, batchScheduleFn: (send) => void setImmediate(send) },
    );
  }

  /**
   * @param networks of the sender, who may have made up the key: they pay for its turn
   * @throws UNAVAILABLE if its turn does not come in time
   */
  load(kind: CredentialName, key: string, networks: readonly string[] = []): Promise<LiveCredential | null> {
    return currentTransaction()
      ? this.#read(kind, key)
      : this.#reads.run([key, ...networks], () => this.#read(kind, key), { isOfRequest: true });
  }

  async readAccess(key: string): Promise<Access<Viewer>> {
    // A transaction sees its own changes. Other readers must not.
    const [access] = currentTransaction() ? await this.#loadViewers([key]) : [await this.#accesses.load(key)];
    const { viewer = null, at = performance.now() } = access ?? {};
    return { viewer: viewer && toViewer(this.#connections, viewer), at };
  }

  /** Reads the viewer of a webhook: its owner, with the limits of its token. Null if it is gone, or that token has ended. */
  async ofWebhook(id: string, database: Queryable = this.#connections): Promise<Viewer | null> {
    const [row, ...others] = await runSql<ViewerRow>(
      database,
      sql`/* loadWebhookViewer */
        SELECT ${raw(viewerColumns)} FROM ${raw(viewerTables('webhook_credentials'))} WHERE own.key = ${id} AND own.ends_at > now()`,
    );
    return row ? toViewer(this.#connections, [row, ...others]) : null;
  }

  async #read(kind: CredentialName, key: string): Promise<LiveCredential | null> {
    const { rows } = await this.#connections.accessPool.query<{ renewalDue: boolean; age: number } & ViewerRow>(
      prepared(
        this.#connections,
        `/* loadCredential */
        SELECT ${viewerColumns}, coalesce(own.last_used_at <= now() - make_interval(secs => $2), true) AS "renewalDue",
          extract(epoch FROM now() - own.created_at)::float8 AS age
        FROM ${viewerTables('credentials')} WHERE own.kind = '${kind}' AND own.key = $1 AND own.ends_at > now()`,
        [key, renewalSeconds],
      ),
    );
    const [row, ...others] = rows;
    if (!row) return null;
    const { renewalDue, age } = row;
    const viewer = toViewer(this.#connections, [row, ...others]);
    return { viewer, renewalDue, lifetime: Math.min(idleSeconds, maxAgeSeconds - age) };
  }

  async #loadViewers(keys: readonly string[]): Promise<Access<CredentialRows>[]> {
    const { db } = this.#connections;
    const at = performance.now();
    const rows = await db.$queryRaw<ViewerRow[]>`/* loadViewers */
      SELECT ${raw(viewerColumns)} FROM ${raw(viewerTables('credentials'))} WHERE own.key = ANY (${[...keys]}) AND own.ends_at > now()`;
    const byKey = groupBy(rows, ({ key }) => key);
    return keys.map((key) => ({ viewer: byKey.get(key) ?? null, at }));
  }
}
