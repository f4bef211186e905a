import DataLoader from 'dataloader';
import { Prisma } from '../generated/prisma/client.ts';
import { accessPool, db, sessionPool } from '../database/database.ts';
import { currentTransaction } from '../database/operation.ts';
import { prepared } from '../database/statements.ts';
import type { Credential, Viewer } from '../kernel/context.ts';
import { FairQueue } from '../kernel/fair-queue.ts';
import { parsePoint } from '../kernel/point.ts';
import { idleSeconds, maxAgeSeconds, renewalSeconds } from './session-data.ts';

const { raw } = Prisma;

/** What is read of a viewer beside the ids. */
interface ViewerRow extends Pick<Viewer, 'inboxId' | 'relatedRevision'> {
  userId: string;
  credential: Credential;
  /** Revision and history nonce of each space as a text, in any order: JSON that is put in order by the database takes longer. */
  points: Record<string, string>;
}

function toViewer(sessionId: string, row: ViewerRow): Viewer {
  const { userId: id, credential, points: written, relatedRevision } = row;
  const inboxId = credential.spaceIds?.includes(id) === false ? null : row.inboxId;
  const spaceIds = Object.keys(written).sort();
  const points = new Map(spaceIds.map((space) => [space, parsePoint(written[space] ?? '', 10)]));
  return { id, sessionId, credential, inboxId, spaceIds, points, relatedRevision };
}

/** A credential that has not ended. */
export interface LiveCredential {
  viewer: Viewer;
  /** Whether its last use was noted so long ago that this one is to be. */
  renewalDue: boolean;
  /** Seconds for which a session lives on when it is renewed. */
  lifetime: number;
}

const shownCredential = `json_build_object(
  'kind', own.kind, 'id', own.id, 'label', own.label, 'rights', own.rights, 'spaceIds', own.space_ids
) AS credential`;

/** The condition for memberships by which the user of a credential acts with it. */
const isReached = `memberships.user_id = own.user_id AND (own.space_ids IS NULL OR memberships.space_id = ANY (own.space_ids))`;

const spacesWithPoints = `memberships
  JOIN spaces ON spaces.id = memberships.space_id
  JOIN related_revisions AS related ON related.space_id = memberships.space_id`;

const pointsAndRevision = `
  coalesce(json_object_agg(spaces.id, spaces.revision || '.' || spaces.history_nonce) FILTER (WHERE spaces.id IS NOT NULL), '{}') AS points,
  coalesce(sum(related.revision), 0)::text AS "relatedRevision"`;

/** Reads of credentials by requests, those of one credential behind each other. */
const reads = new FairQueue({ name: 'credentials', slots: () => sessionPool.options.max, slotsPerKey: 2, idle: 'all' });

/**
 * A credential that has not ended, with whom it stands for, in one statement; null: there is none.
 * @throws UNAVAILABLE where its turn does not come in time
 */
export const loadCredential = (kind: Credential['kind'], key: string): Promise<LiveCredential | null> =>
  currentTransaction()
    ? readCredential(kind, key)
    : reads.run(key, () => readCredential(kind, key), { isOfRequest: true });

async function readCredential(kind: Credential['kind'], key: string): Promise<LiveCredential | null> {
  const { rows } = await accessPool().query<{ renewalDue: boolean; age: number } & ViewerRow>(
    prepared(
      `/* loadCredential */
      SELECT own.user_id AS "userId", ${shownCredential},
        coalesce(own.last_used_at <= now() - make_interval(secs => $2), true) AS "renewalDue",
        extract(epoch FROM now() - own.created_at)::float8 AS age,
        (SELECT id FROM projects WHERE space_id = own.user_id AND is_default) AS "inboxId", viewer.*
      FROM credentials AS own, LATERAL (SELECT ${pointsAndRevision} FROM ${spacesWithPoints} WHERE ${isReached}) AS viewer
      WHERE own.kind = '${kind}' AND own.key = $1 AND own.ends_at > now()`,
      [key, renewalSeconds],
    ),
  );
  const [row] = rows;
  if (!row) return null;
  const { renewalDue, age } = row;
  return { viewer: toViewer(key, row), renewalDue, lifetime: Math.min(idleSeconds, maxAgeSeconds - age) };
}

/**
 * Whom credentials stand for, in one statement, as {@link loadCredential} would load each; one that has ended is left out.
 * Its tables are joined once for all of them: the viewer of each by itself takes fourteen times as long for a hundred.
 */
async function loadViewers(keys: readonly string[]): Promise<Map<string, Viewer>> {
  const rows = await db.$queryRaw<({ key: string } & ViewerRow)[]>`/* loadViewers */
    SELECT own.key, own.user_id AS "userId", ${raw(shownCredential)}, inbox.id AS "inboxId", ${raw(pointsAndRevision)}
    FROM credentials AS own
    JOIN projects AS inbox ON inbox.space_id = own.user_id AND inbox.is_default
    LEFT JOIN (${raw(spacesWithPoints)}) ON ${raw(isReached)}
    WHERE own.key = ANY (${[...keys]}) AND own.ends_at > now()
    GROUP BY own.key, own.id, own.user_id, own.kind, own.label, own.rights, own.space_ids, inbox.id`;
  return new Map(rows.map((row) => [row.key, toViewer(row.key, row)]));
}

/** Who a credential stood for at a moment. */
interface Access {
  /** Null where it has ended. */
  viewer: Viewer | null;
  /** Clock of the process, in milliseconds, just before the database was asked. */
  at: number;
}

async function accessesOf(keys: readonly string[]): Promise<Access[]> {
  const at = performance.now();
  const viewers = await loadViewers(keys);
  return keys.map((key) => ({ viewer: viewers.get(key) ?? null, at }));
}

/** Looks credentials up in one statement for all that are asked for at about the same time, each once; it keeps nothing. */
const accesses: DataLoader<string, Access> = new DataLoader(
  (keys) => {
    // What is asked from now on is read at a later moment.
    accesses.clearAll();
    return accessesOf(keys);
  },
  { maxBatchSize: 1000, batchScheduleFn: (send) => void setImmediate(send) },
);

/** Reads who a session or token stands for, and which spaces they reach. @param key of the credential */
export async function readAccess(key: string): Promise<Access> {
  if (!currentTransaction()) return accesses.load(key);
  // What a transaction sees is nobody else's.
  const [access] = await accessesOf([key]);
  return access ?? { viewer: null, at: performance.now() };
}
