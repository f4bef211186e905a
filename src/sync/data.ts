import type { Selection } from '@taskgate/nested-read';
import type { Point, Snapshot } from '@taskgate/postgres';
import type { Connections } from '../platform/database.ts';
import type { ModelName } from '../platform/models.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { entities, kindOfType, type SyncedKind } from '../platform/entities.ts';
import type { Viewer } from '../platform/context.ts';
import { isMembershipOf } from '../platform/policy.ts';
import type { Role } from '../platform/roles.ts';
import type { SyncPosition } from './cursor.ts';

export { readInSnapshot, type Snapshot } from '@taskgate/postgres';

const { sql } = Prisma;

export interface SpaceState extends Point {
  id: string;
  related: number;
  /** 0 if out of reach. */
  joinedAt: number;
  role: Role;
  canResume: boolean;
}

/** Workspaces by id, then the personal space, even if the credential does not reach it. */
export function findSpaces(run: Snapshot, viewer: Viewer, since: SyncPosition | undefined): Promise<SpaceState[]> {
  const points = [...(since?.spaces ?? [])].map(([id, { revision, historyNonce }]) => ({ id, revision, historyNonce }));
  return run<SpaceState>(sql`/* syncSpaces */
    SELECT spaces.id, spaces.revision::float8, spaces.history_nonce AS "historyNonce", related.revision::float8 AS related,
      CASE WHEN ${isMembershipOf(viewer)} THEN extract(epoch FROM memberships.created_at) * 1000 ELSE 0 END::float8 AS "joinedAt",
      memberships.role,
      can_resume(spaces, since.revision, since."historyNonce") AS "canResume"
    FROM memberships
    JOIN spaces ON spaces.id = memberships.space_id
    JOIN related_revisions AS related ON related.space_id = spaces.id
    LEFT JOIN jsonb_to_recordset(${JSON.stringify(points)}::jsonb) AS since (id text, revision bigint, "historyNonce" integer)
      ON since.id = spaces.id
    WHERE memberships.user_id = ${viewer.id} AND (${isMembershipOf(viewer)} OR spaces.id = ${viewer.id})
    ORDER BY spaces.id = ${viewer.id}, spaces.id`);
}

/** A row of the log, at the point of its last entity. The others have the preceding revisions. */
export interface LogRow extends Point {
  kind: SyncedKind | 'User';
  ids: string[];
  /** Whether only tags changed. The tasks may be in another space, whose log reports deletions. */
  isOfTags: boolean;
  /** Whether only comments changed, which have rows of their own. */
  isOfComments: boolean;
}

/** Maximum of a part of a transaction (`max_part`). */
export const logPage = 5000;

/** Reads rows up to a number of entities, and the next row. */
export async function findLog(
  run: Snapshot,
  spaceId: string,
  since: number,
  end: number,
  entities: number,
): Promise<LogRow[]> {
  type Row = Omit<LogRow, 'kind'> & { type: Uppercase<SyncedKind | 'User'> };
  const rows = await run<Row>(sql`/* syncLog */
    SELECT revision::float8, type, entity_ids AS ids, history_nonce AS "historyNonce", fields = '{tags}' AS "isOfTags",
      fields = '{comments}' AS "isOfComments"
    FROM (
      SELECT revision, type, entity_ids, fields, history_nonce, beyond, sum(beyond) OVER (ORDER BY revision ROWS UNBOUNDED PRECEDING) AS total
      FROM (
        SELECT revision, type, entity_ids, fields, history_nonce, least(entity_count, revision - ${since}) AS beyond
        FROM changes WHERE space_id = ${spaceId} AND revision > ${since} AND revision <= ${end}
      ) AS row
      ORDER BY revision LIMIT ${entities + 1}
    ) AS row
    WHERE total - beyond <= ${entities}
    ORDER BY revision`);
  return rows.map(({ type, ...row }) => ({ ...row, kind: kindOfType(type) }));
}

export async function isUserChanged(run: Snapshot, userId: string, after: number, upTo: number): Promise<boolean> {
  const rows = await run(sql`/* syncUser */
    SELECT FROM changes WHERE space_id = ${userId} AND revision > ${after} AND revision <= ${upTo} AND type = 'USER' LIMIT 1`);
  return rows.length > 0;
}

interface Identified {
  id: string;
}

interface LoadedPage {
  rows: Identified[];
  last: string[];
}

/** Entities that move before the page during a load are in the log. */
export async function findPage(
  connections: Connections,
  run: Snapshot,
  spaceId: string,
  kind: SyncedKind,
  after: readonly string[],
  { select, take }: Selection & { take: number },
): Promise<LoadedPage> {
  const { model, sync }: { model: ModelName; sync: { order: readonly string[]; through?: string } } = entities[kind];
  const { order, through } = sync;
  const inSpace = through === undefined ? { spaceId } : { [through]: { spaceId } };
  const keys = Object.fromEntries(order.map((key) => [key, true]));
  const args = {
    select: { ...select, ...keys },
    where: { AND: [inSpace, beyond(order, after)] },
    orderBy: order.map((key) => ({ [key]: 'asc' })),
    take,
  };
  const rows = (await connections.readsOf(model).read(args, run)) as (Identified & Record<string, string>)[];
  const last = rows.at(-1);
  return { rows, last: last ? order.map((key) => last[key] ?? '') : [] };
}

function beyond([key = '', ...others]: readonly string[], [value, ...values]: readonly string[]): object {
  if (value === undefined) return {};
  if (others.length === 0) return { [key]: { gt: value } };
  return { [key]: { gte: value }, OR: [{ [key]: { gt: value } }, beyond(others, values)] };
}

/** Omits the keys of operations that are outside the spaces of a limited credential. */
export async function findKeys(run: Snapshot, viewer: Viewer, after: number, upTo: number): Promise<string[]> {
  const { spaceIds: limit } = viewer.credential;
  const isWithin = limit
    ? sql`coalesce((SELECT bool_or(space_id = ANY (${limit})) FROM operations WHERE id = operation_id), true)`
    : sql`true`;
  const rows = await run<{ key: string }>(sql`/* syncKeys */
    SELECT key FROM idempotency_keys WHERE user_id = ${viewer.id} AND revision > ${after} AND revision <= ${upTo} AND ${isWithin}
    ORDER BY revision`);
  return rows.map(({ key }) => key);
}

export const findUser = ({ db }: Connections, run: Snapshot, id: string, { select }: Selection) =>
  db.user.readOne({ select: { ...select, id: true }, where: { id } }, run);
