import { fromItem, type Selection, type Where, whereClause } from '@taskgate/nested-read';
import { runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { models } from '../platform/models.ts';
import { hasRights, inSpacesOf, isInSpacesOf } from '../platform/policy.ts';
import { roleFor } from '../platform/roles.ts';
import { inReadTurn } from '../platform/transaction.ts';
import { writeStatement } from '../platform/write.ts';

const { sql, raw } = Prisma;

/** The newest 1,000 that the viewer sees, the newest first. */
export const findClaims = (viewer: Viewer, { select = {} }: Selection) => {
  const where = { task: inSpacesOf(viewer) };
  return viewer.connections.db.claim.read({ select, where, orderBy: { fence: 'desc' }, take: 1000 }, viewer);
};

/**
 * Of the tasks that the viewer may claim now. A space that the viewer has joined since is not locked by the write, so it
 * waits for the next request. The claims of a space are read once, by its members, however many others there are.
 */
function firstTask(viewer: Viewer, filter: Where): Prisma.Sql {
  const task = { model: models.Task, alias: 't' };
  const order = raw('t.priority DESC NULLS LAST, t.due_date, t.due_time, t.sort_key, t.id');
  return sql`
    SELECT t.id, t.space_id FROM memberships CROSS JOIN LATERAL (
      SELECT t.id, t.space_id, t.priority, t.due_date, t.due_time, t.sort_key FROM ${fromItem(task)}
      WHERE t.space_id = memberships.space_id AND NOT t.completed AND ${whereClause(task, filter)}
        AND t.id NOT IN (
          SELECT task_id FROM claims JOIN memberships AS holder ON holder.user_id = claims.user_id
          WHERE holder.space_id = memberships.space_id AND expires_at > statement_timestamp()
        )
      ORDER BY ${order} LIMIT 1
    ) AS t
    WHERE memberships.user_id = ${viewer.id} AND ${isInSpacesOf(viewer, 'memberships.space_id')}
      AND memberships.role >= ${roleFor('claimTask')}::"WorkspaceRole"
    ORDER BY ${order} LIMIT 1`;
}

/** A task, and the revision of its space at that time. */
export interface Candidate {
  id: string;
  spaceId: string;
  revision: bigint;
}

/** Undefined if no task matches. */
export async function findFirst(viewer: Viewer, filter: Where): Promise<Candidate | undefined> {
  const statement = sql`/* firstToClaim */
    SELECT first.id, first.space_id AS "spaceId", spaces.revision
    FROM (${firstTask(viewer, filter)}) AS first JOIN spaces ON spaces.id = first.space_id`;
  const [candidate] = await inReadTurn(viewer.connections, viewer, () =>
    runSql<Candidate>(viewer.connections, statement),
  );
  return candidate;
}

export interface Claimed {
  taskId: string;
  fence: string;
  expiresAt: Date;
}

type Outcome =
  (Claimed & { outcome: 'claimed' }) | { outcome: 'stale' | 'completed' | 'taken'; fence: null; expiresAt: null };

/** @param target a query of `id`, and of `revision` of the space or null */
async function claim(
  tx: Database | null,
  viewer: Viewer,
  ids: readonly string[],
  seconds: number,
  target: Prisma.Sql,
): Promise<Outcome | undefined> {
  const { id, credential } = viewer;
  const [row] = await writeStatement<Outcome>(
    tx,
    viewer,
    { needs: roleFor('claimTask'), ids },
    (allowed) => sql`/* claimTask */
      WITH ${allowed}, target AS MATERIALIZED (${target})
      SELECT target.id AS "taskId", claim.outcome, claim.fence::text, claim.expires_at AS "expiresAt"
      FROM allowed, target, claim_task(
        target.id, target.revision, allowed.spaces, ${id}, ${credential.id}, ${credential.label}, ${seconds}::int
      ) AS claim`,
  );
  return row;
}

/**
 * Undefined if the viewer cannot see the task.
 * @param revision of its space: another change since then prevents the claim
 */
export const claimOne = (viewer: Viewer, id: string, seconds: number, revision: bigint | null = null) =>
  claim(null, viewer, [id], seconds, sql`SELECT ${id} AS id, ${revision}::bigint AS revision`);

/** Claims the first task of the viewer, if it is in a space of the caller, whose locks the transaction has. */
export async function claimFirst(
  tx: Database,
  caller: Viewer,
  viewer: Viewer,
  filter: Where,
  seconds: number,
): Promise<Claimed | undefined> {
  const target = sql`SELECT first.id, NULL::bigint AS revision FROM (${firstTask(viewer, filter)}) AS first`;
  const row = await claim(tx, caller, [], seconds, target);
  return row?.outcome === 'claimed' ? row : undefined;
}

/** Undefined if there is no such claim. */
export async function findTaskOf(viewer: Viewer, fence: string): Promise<string | undefined> {
  const statement = sql`/* claimedTask */ SELECT task_id AS id FROM claims WHERE fence = ${fence}::bigint`;
  const [task] = await inReadTurn(viewer.connections, viewer, () =>
    runSql<{ id: string }>(viewer.connections, statement),
  );
  return task?.id;
}

/**
 * @param seconds to renew the claim; null: to release it
 * @returns null for `expiresAt` if another program holds the claim
 * @throws CLAIM_LOST if it is not in force, or its task in another space
 */
export async function changeClaim(viewer: Viewer, taskId: string, fence: string, seconds: number | null) {
  const { credential } = viewer;
  const isSession = hasRights(credential, 'all');
  const [row] = await writeStatement<{ expiresAt: Date | null }>(
    null,
    viewer,
    { needs: roleFor(seconds === null ? 'releaseClaim' : 'renewClaim'), ids: [taskId] },
    (allowed) => sql`/* changeClaim */
      WITH ${allowed}
      SELECT change_claim(${fence}::bigint, allowed.spaces, ${credential.id}, ${isSession}, ${seconds}::int) AS "expiresAt" FROM allowed`,
  );
  return row?.expiresAt ?? null;
}
