import { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../kernel/context.ts';
import { db } from '../kernel/database.ts';
import { invalid } from '../kernel/errors.ts';
import { parse } from '../kernel/input.ts';
import { maxFound, searchQuery } from './input.ts';

const { sql } = Prisma;

/** Every word of the query as a prefix, in the given weights of the search column. */
const prefixes = (query: string, weights: string) => sql`(
  SELECT string_agg(quote_literal(lexeme) || ':*' || ${weights}, ' & ')::tsquery
  FROM unnest(to_tsvector('simple', ${query}))
)`;

/** Of so many exact matches of a space the most alike are looked for: likeness costs more than the match itself. */
const mostCompared = 500;

/**
 * Finds tasks by title and description, best first: a word or prefix in the title, then in the
 * description, then likeness in the title, then in the description. Each kind is looked for only
 * where those before it do not fill the list. A search of its own in each space: the indexes begin
 * with it, and a list that is cut there does not grow with the number of spaces.
 */
const findTaskIds = (viewer: Viewer, query: string, limit: number) => db.$queryRaw<{ id: string }[]>`
  WITH words AS MATERIALIZED (
    SELECT ${prefixes(query, 'A')} AS of_title, ${prefixes(query, 'AB')} AS of_task,
      plainto_tsquery('simple', ${query}) AS whole
  ), space AS MATERIALIZED (
    SELECT id FROM unnest(${viewer.spaceIds}::text[]) AS space (id)
  ), exact AS MATERIALIZED (
    SELECT task.id, task.sort_key, task.class, word_similarity(${query}, task.title) AS likeness
    FROM words, space, LATERAL (
      SELECT id, title, sort_key, CASE WHEN search @@ words.of_title THEN 1 ELSE 2 END AS class
      FROM tasks
      WHERE space_id = space.id AND search @@ words.of_task
      ORDER BY class, search @@ words.whole DESC, sort_key, id
      LIMIT ${mostCompared}
    ) AS task
    ORDER BY class, likeness DESC, sort_key, id
    LIMIT ${limit}
  ), alike_title AS MATERIALIZED (
    SELECT task.* FROM space, LATERAL (
      SELECT id, sort_key, 3 AS class, word_similarity(${query}, title) AS likeness
      FROM tasks
      WHERE (SELECT count(*) FROM exact) < ${limit}
        AND space_id = space.id AND ${query} <% title AND id NOT IN (SELECT id FROM exact)
      ORDER BY likeness DESC, sort_key, id
      LIMIT ${limit}
    ) AS task
  ), alike_description AS MATERIALIZED (
    SELECT task.* FROM space, LATERAL (
      SELECT id, sort_key, 4 AS class, word_similarity(${query}, description) AS likeness
      FROM tasks
      WHERE (SELECT count(*) FROM exact) + (SELECT count(*) FROM alike_title) < ${limit}
        AND space_id = space.id AND ${query} <% description
        AND id NOT IN (SELECT id FROM exact UNION ALL SELECT id FROM alike_title)
      ORDER BY likeness DESC, sort_key, id
      LIMIT ${limit}
    ) AS task
  )
  SELECT id FROM (
    SELECT * FROM exact UNION ALL SELECT * FROM alike_title UNION ALL SELECT * FROM alike_description
  ) AS found
  ORDER BY class, likeness DESC, sort_key, id
  LIMIT ${limit}`;

/** Finds the viewer's tags by name, ranked in the same way. */
const findTagIds = (viewer: Viewer, query: string, limit: number) => db.$queryRaw<{ id: string }[]>`
  SELECT id FROM tags
  WHERE space_id = ${viewer.id}
    AND (to_tsvector('simple', name) @@ ${prefixes(query, '')} OR ${query} <% name)
  ORDER BY (to_tsvector('simple', name) @@ ${prefixes(query, '')}) IS TRUE DESC, word_similarity(${query}, name) DESC, name
  LIMIT ${limit}`;

/**
 * Searches what the viewer may see; a typo or two in a word are forgiven.
 * @returns ids, best first, at most `first` of each kind
 * @throws VALIDATION_FAILED for a blank query or a bad number
 */
export async function search(viewer: Viewer, rawQuery: unknown, first: number) {
  const query = parse(searchQuery, rawQuery, 'query');
  if (first < 0 || first > maxFound) throw invalid('first', `must be 0 to ${maxFound}`);
  const [tasks, tags] = await Promise.all([findTaskIds(viewer, query, first), findTagIds(viewer, query, first)]);
  return { taskIds: tasks.map(({ id }) => id), tagIds: tags.map(({ id }) => id) };
}

/** Rows in the order of the ids; those that have gone in the meantime are left out. */
export function inOrderOf<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
