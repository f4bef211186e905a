import { readOnAny, runSql } from '@taskgate/postgres';
import { type Comment, Prisma, type User } from '../generated/prisma/client.ts';
import type { Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { inSpacesOf } from '../platform/policy.ts';
import { type WriteAccess, writeStatement } from '../platform/write.ts';
import { maxComments, maxMentions } from './input.ts';

const { sql } = Prisma;

export interface CommentPlace {
  spaceId: string;
  /** Number of comments on the task before this one. */
  comments: number;
  mentioned: string[];
}

/** The columns that a response may show. Without them, it would take another read. */
type Author = Pick<User, 'id' | 'name' | 'email' | 'avatar'>;

/**
 * Creates a comment in one statement, unless the task or the text has too many.
 * @returns undefined if the viewer cannot see the task
 */
export async function createComment(
  viewer: Viewer,
  access: WriteAccess,
  { id, taskId, text }: Pick<Comment, 'id' | 'taskId' | 'text'>,
  named: readonly string[],
): Promise<(CommentPlace & { created: (Comment & { author: Author }) | null }) | undefined> {
  const statement = (allowed: Prisma.Sql, operation: Prisma.Sql) => sql`
    WITH ${allowed}, place AS MATERIALIZED (
      SELECT place.* FROM allowed, place_of_comment(${taskId}, allowed.spaces, ${[...named]}) AS place
    ), created AS (
      INSERT INTO comments (id, task_id, space_id, author_id, text)
      SELECT ${id}, ${taskId}, space_id, ${viewer.id}, ${text} FROM place
      WHERE comments < ${maxComments} AND cardinality(mentioned) <= ${maxMentions}
      RETURNING created_at
    )
    SELECT place.space_id AS "spaceId", place.comments, place.mentioned, created.created_at AS "createdAt",
      (SELECT json_build_object('id', id, 'name', name, 'email', email, 'avatar', avatar) FROM users WHERE id = ${viewer.id}) AS author,
      CASE WHEN created.created_at IS NOT NULL THEN ${operation} END AS operation
    FROM place LEFT JOIN created ON true
    LEFT JOIN LATERAL notify_of_comment(${id}, ${taskId}, ${viewer.id}, place.mentioned, true) ON created.created_at IS NOT NULL`;
  const [row] = await writeStatement<CommentPlace & { createdAt: Date | null; author: Author }>(
    null,
    viewer,
    access,
    statement,
  );
  if (!row) return undefined;
  const { createdAt, author, ...place } = row;
  const { spaceId } = place;
  return {
    ...place,
    created: createdAt && { id, taskId, spaceId, authorId: viewer.id, author, text, createdAt, editedAt: null },
  };
}

/** Call it under the lock. Null if the viewer cannot see it. */
export const findComment = (tx: Database, viewer: Viewer, id: string) =>
  tx.comment.findUnique({ where: { id, ...inSpacesOf(viewer) } });

/** @returns also the mentioned members who joined after the present text, which did not mention them */
export async function findPlace(
  tx: Database,
  { taskId, spaceId, createdAt, editedAt }: Comment,
  named: readonly string[],
) {
  const [place] = await runSql<CommentPlace & { joined: string[] }>(
    tx,
    sql`SELECT space_id AS "spaceId", comments, mentioned, ARRAY(
        SELECT user_id FROM memberships
        WHERE memberships.space_id = place.space_id AND user_id = ANY (mentioned) AND created_at > ${editedAt ?? createdAt}
      ) AS joined
      FROM place_of_comment(${taskId}, ${[spaceId]}, ${[...named]}) AS place`,
  );
  return place;
}

/** @param mentioned members whom the former text did not mention */
export const notifyOfEdit = (tx: Database, { id, taskId, authorId }: Comment, mentioned: readonly string[]) =>
  runSql(tx, sql`SELECT FROM notify_of_comment(${id}, ${taskId}, ${authorId}, ${[...mentioned]}, false)`);

export const updateText = (tx: Database, id: string, text: string) =>
  tx.$executeRaw`UPDATE comments SET text = ${text}, edited_at = clock_timestamp() WHERE id = ${id}`;

export const deleteComment = (tx: Database, id: string) => tx.comment.delete({ where: { id }, select: { id: true } });

/** Newest first. */
export async function findMatching(viewer: Viewer, query: string, limit: number): Promise<string[]> {
  const { spaceIds } = viewer;
  const rows = await readOnAny<{ id: string }>(
    viewer,
    sql`SELECT id FROM matching_comment_ids(${spaceIds}, ${query}, ${limit}::int) AS found (id)`,
  );
  return rows.map(({ id }) => id);
}
