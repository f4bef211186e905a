import { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../kernel/context.ts';
import type { Point } from '../kernel/point.ts';
import { inSpacesOf, spacesOf } from '../kernel/policy.ts';
import type { RunRead } from '../database/statements.ts';
import { readMany, readOne, type Selection } from '../nested-read/read.ts';
import type { loadSteps, SyncPosition } from './cursor.ts';

export { inSnapshot, type RunRead } from '../database/statements.ts';

const { sql } = Prisma;

/** Types of what a replica holds, beside its user. */
export type EntityType = (typeof loadSteps)[number];

/** A space that the user is a member of, in a snapshot, at its point of then. */
export interface SpaceState extends Point {
  id: string;
  related: number;
  /** Milliseconds since 1970. */
  joinedAt: number;
  /** Whether the log can be resumed from the position in it. */
  canResume: boolean;
}

/** The user's spaces: workspaces by id, then the personal one. */
export function findSpaces(run: RunRead, userId: string, since: SyncPosition | undefined): Promise<SpaceState[]> {
  const points = [...(since?.spaces ?? [])].map(([id, { revision, historyNonce }]) => ({ id, revision, historyNonce }));
  return run<SpaceState>(sql`/* syncSpaces */
    SELECT spaces.id, spaces.revision::float8, spaces.history_nonce AS "historyNonce", related.revision::float8 AS related,
      (extract(epoch FROM memberships.created_at) * 1000)::float8 AS "joinedAt",
      can_resume(spaces, since.revision, since."historyNonce") AS "canResume"
    FROM memberships
    JOIN spaces ON spaces.id = memberships.space_id
    JOIN related_revisions AS related ON related.space_id = spaces.id
    LEFT JOIN jsonb_to_recordset(${JSON.stringify(points)}::jsonb) AS since (id text, revision bigint, "historyNonce" integer)
      ON since.id = spaces.id
    WHERE memberships.user_id = ${userId}
    ORDER BY spaces.id = ${userId}, spaces.id`);
}

/** A row of the change log, at the point of its last entity; the revisions of the others come right before. */
export interface LogRow extends Point {
  type: EntityType | 'USER';
  ids: string[];
}

/** Entities that one statement reads of the log: as many as a part of a transaction has at most (`max_part`). */
export const logPage = 5000;

/**
 * What the log has of a space beyond a revision: rows with so many entities together, and the next row where there is one.
 * @param end revision of the space
 */
export const findLog = (run: RunRead, spaceId: string, since: number, end: number, entities: number) =>
  run<LogRow>(sql`/* syncLog */
    SELECT revision::float8, type, entity_ids AS ids, history_nonce AS "historyNonce"
    FROM (
      SELECT revision, type, entity_ids, history_nonce, beyond, sum(beyond) OVER (ORDER BY revision ROWS UNBOUNDED PRECEDING) AS total
      FROM (
        SELECT revision, type, entity_ids, history_nonce, least(entity_count, revision - ${since}) AS beyond
        FROM changes WHERE space_id = ${spaceId} AND revision > ${since} AND revision <= ${end}
      ) AS row
      ORDER BY revision LIMIT ${entities + 1}
    ) AS row
    WHERE total - beyond <= ${entities}
    ORDER BY revision`);

/** A row of any entity, with what the caller selects of it. */
export interface EntityRow {
  id: string;
}

/** Those of the entities that the viewer may see. */
export function findEntities(
  run: RunRead,
  viewer: Viewer,
  type: EntityType,
  ids: readonly string[],
  { select }: Selection,
): Promise<EntityRow[]> {
  const own = { id: { in: [...ids] } };
  const where = { AND: [own, inSpacesOf(viewer)] };
  const all = { ...select, id: true };
  switch (type) {
    case 'WORKSPACE':
      return readMany('Space', { select: all, where: { AND: [own, spacesOf(viewer)], kind: 'WORKSPACE' } }, run);
    case 'PROJECT':
      return readMany('Project', { select: all, where }, run);
    case 'SECTION':
      return readMany('Section', { select: all, where }, run);
    case 'TAG':
      return readMany('Tag', { select: all, where }, run);
    case 'TASK':
      return readMany('Task', { select: all, where }, run);
  }
}

/** Entities of a space with the keys that they are loaded in the order of. */
interface LoadedPage {
  rows: EntityRow[];
  /** Keys of the last one. */
  last: string[];
}

/**
 * A page of a space's entities of a type: tasks by sort key, which there is an index of, all others by id. What comes before
 * the place where it goes on while the space is loaded stands in the log.
 * @param after keys of the last entity that was loaded
 */
export async function findPage(
  run: RunRead,
  spaceId: string,
  type: Exclude<EntityType, 'WORKSPACE'>,
  after: readonly string[],
  { select, take }: Selection & { take: number },
): Promise<LoadedPage> {
  const all = { ...select, id: true };
  const [key, id = key] = after;
  const beyond = key === undefined ? {} : { id: { gt: key } };
  const byId = { select: all, where: { spaceId, ...beyond }, orderBy: { id: 'asc' }, take } as const;
  switch (type) {
    case 'PROJECT':
      return byIds(await readMany('Project', byId, run));
    case 'SECTION':
      // By their project, which there are indexes of.
      return byIds(await readMany('Section', { ...byId, where: { project: { spaceId }, ...beyond } }, run));
    case 'TAG':
      return byIds(await readMany('Tag', byId, run));
    case 'TASK': {
      const later = { sortKey: { gte: key }, OR: [{ sortKey: { gt: key } }, { id: { gt: id } }] };
      const where = { spaceId, ...(key !== undefined && later) };
      const orderBy = [{ sortKey: 'asc' }, { id: 'asc' }] as const;
      const rows = await readMany(
        'Task',
        { select: { ...all, sortKey: true }, where, orderBy: [...orderBy], take },
        run,
      );
      const last = rows.at(-1);
      return { rows, last: last ? [last.sortKey, last.id] : [] };
    }
  }
}

function byIds(rows: EntityRow[]): LoadedPage {
  const last = rows.at(-1);
  return { rows, last: last ? [last.id] : [] };
}

/** The idempotency keys of the user's mutations by which the revision of their personal space was raised, in their order. */
export async function findKeys(run: RunRead, userId: string, after: number, upTo: number): Promise<string[]> {
  const rows = await run<{ key: string }>(sql`/* syncKeys */
    SELECT key FROM idempotency_keys WHERE user_id = ${userId} AND revision > ${after} AND revision <= ${upTo}
    ORDER BY revision`);
  return rows.map(({ key }) => key);
}

/** The user's own row. */
export const findUser = (run: RunRead, id: string, { select }: Selection) =>
  readOne('User', { select: { ...select, id: true }, where: { id } }, run);
