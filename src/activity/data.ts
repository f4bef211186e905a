import { inBatches, type Reader, readOnPrimary, runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { NotificationReason } from '../generated/prisma/enums.ts';
import type { Viewer } from '../platform/context.ts';
import type { Connections } from '../platform/database.ts';
import { isInSpacesOf } from '../platform/policy.ts';
import { roleFor } from '../platform/roles.ts';
import { writeStatement } from '../platform/write.ts';

const { sql, empty } = Prisma;

/**
 * A common table expression that notifies users of their assignment, for the statement that makes it. Undo, restore,
 * moves and copies have none.
 * @param assigned a query of `task_id` and `user_id`
 */
export const notifyAssigned = (actorId: string, assigned: Prisma.Sql) => sql`notified AS (
  INSERT INTO notification_events (user_id, task_id, reason, actor_id)
  SELECT user_id, task_id, 'ASSIGNED', ${actorId} FROM (${assigned}) AS assigned WHERE user_id <> ${actorId}
)`;

/** An entry: a task with the user's events. */
export interface Entry {
  taskId: string;
  /** Reasons of the unread events, or of the newest one. */
  reasons: NotificationReason[];
  /** Number of unread events. */
  unread: number;
  /** The newest event: its moment, actor, comment and id. */
  at: Date;
  actorId: string | null;
  commentId: string | null;
  eventId: string;
}

type EntryPosition = readonly [at: string, eventId: string];

/** The viewer's events of visible tasks. */
const visibleEvents = (viewer: Viewer) => sql`
  notification_events AS event JOIN tasks AS task ON task.id = event.task_id
  WHERE event.user_id = ${viewer.id} AND ${isInSpacesOf(viewer, 'task.space_id')}`;

/** Newest first. An index has the order; later events of a task are looked up for each. */
export const findEntries = (
  viewer: Viewer,
  { unread, limit, after }: { unread: boolean; limit: number; after: EntryPosition | null },
): Promise<Entry[]> => {
  const isWanted = (event: string) => (unread ? sql`${Prisma.raw(event)}.read_at IS NULL` : sql`true`);
  return readOnPrimary<Entry>(
    viewer,
    sql`/* findEntries */
      SELECT entry.task_id AS "taskId", coalesce(of_unread.reasons, ARRAY[entry.reason]::text[]) AS reasons,
        of_unread.count AS unread, entry.created_at AS at, entry.actor_id AS "actorId", entry.comment_id AS "commentId",
        entry.id::text AS "eventId"
      FROM (
        SELECT event.* FROM ${visibleEvents(viewer)} AND ${isWanted('event')}
          ${after ? sql`AND (event.created_at, event.id) < (${after[0]}::timestamptz, ${after[1]}::bigint)` : empty}
          AND NOT EXISTS (
            SELECT FROM notification_events AS later
            WHERE later.user_id = event.user_id AND later.task_id = event.task_id AND ${isWanted('later')}
              AND (later.created_at, later.id) > (event.created_at, event.id)
          )
        ORDER BY event.created_at DESC, event.id DESC LIMIT ${limit}
      ) AS entry CROSS JOIN LATERAL (
        SELECT count(*)::int AS count, array_agg(DISTINCT reason ORDER BY reason)::text[] AS reasons FROM notification_events
        WHERE user_id = entry.user_id AND task_id = entry.task_id AND read_at IS NULL
      ) AS of_unread
      ORDER BY entry.created_at DESC, entry.id DESC`,
  );
};

/** @param spaceIds of the credential; null: all spaces of the user */
export async function countUnread(reader: Reader, userId: string, spaceIds: readonly string[] | null) {
  const [row] = await readOnPrimary<{ count: number }>(
    reader,
    sql`/* countUnread */
      SELECT count(DISTINCT event.task_id)::int AS count
      FROM notification_events AS event JOIN tasks AS task ON task.id = event.task_id
      JOIN memberships AS member ON member.space_id = task.space_id AND member.user_id = event.user_id
      WHERE event.user_id = ${userId} AND event.read_at IS NULL
        AND ${spaceIds ? sql`member.space_id = ANY (${[...spaceIds]})` : sql`true`}`,
  );
  return row?.count ?? 0;
}

/**
 * Marks events up to a moment as read, in the order of all who lock several.
 * @param taskIds undefined: of all tasks
 * @returns the number of their tasks
 */
export async function readEvents(viewer: Viewer, taskIds: readonly string[] | undefined, until: Date | null) {
  const ofTasks = taskIds ? sql`AND event.task_id = ANY (${[...taskIds]})` : empty;
  const [row] = await writeStatement<{ count: number }>(
    null,
    viewer,
    { needs: roleFor('readNotifications'), ids: [viewer.id] },
    (allowed) => sql`/* readEvents */
      WITH ${allowed}, unread AS MATERIALIZED (
        SELECT event.id FROM ${visibleEvents(viewer)} AND event.read_at IS NULL ${ofTasks}
          AND event.created_at <= coalesce(${until}::timestamptz, 'infinity') AND (SELECT spaces FROM allowed) IS NOT NULL
        ORDER BY event.id FOR UPDATE OF event
      ), read AS (
        UPDATE notification_events AS event SET read_at = clock_timestamp() FROM unread WHERE event.id = unread.id RETURNING task_id
      )
      SELECT count(DISTINCT task_id)::int AS count FROM read`,
  );
  return row?.count ?? 0;
}

/** @returns whether the viewer may see the task */
export async function setMuted(viewer: Viewer, taskId: string, muted: boolean): Promise<boolean> {
  const change = muted
    ? sql`INSERT INTO task_mutes (task_id, user_id) SELECT id, ${viewer.id} FROM target ON CONFLICT DO NOTHING`
    : sql`DELETE FROM task_mutes USING target WHERE task_id = target.id AND user_id = ${viewer.id}`;
  const [row] = await writeStatement<{ found: boolean }>(
    null,
    viewer,
    { needs: roleFor('muteTask'), ids: [taskId] },
    (allowed) => sql`/* setMuted */
      WITH ${allowed}, target AS MATERIALIZED (
        SELECT task.id FROM allowed CROSS JOIN LATERAL tasks_within(${[taskId]}, allowed.spaces) AS task
      ), changed AS (${change})
      SELECT EXISTS (SELECT FROM target) AS found`,
  );
  return row?.found === true;
}

const mutesPerStatement = 500;

/** Deletes the mutes of tasks that nothing can restore. */
export const pruneMutes = (connections: Connections) =>
  inBatches(mutesPerStatement, () =>
    runSql(
      connections,
      sql`/* pruneMutes */
        DELETE FROM task_mutes WHERE (task_id, user_id) IN (
          SELECT task_id, user_id FROM task_mutes
          WHERE NOT EXISTS (SELECT FROM tasks WHERE id = task_id) AND NOT EXISTS (SELECT FROM trash WHERE entity_id = task_id)
          LIMIT ${mutesPerStatement} FOR UPDATE SKIP LOCKED
        ) RETURNING 1`,
    ),
  );
