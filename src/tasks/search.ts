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

/**
 * Finds tasks by title and description, best first: a word or prefix in the title, then in the
 * description, then likeness in the title, then in the description. Likeness is looked at only
 * where words and prefixes do not fill the list.
 */
const findTaskIds = (viewer: Viewer, query: string, limit: number) => db.$queryRaw<{ id: string }[]>`
  WITH words AS MATERIALIZED (
    SELECT ${prefixes(query, 'A')} AS of_title, ${prefixes(query, 'AB')} AS of_task
  ), exact AS MATERIALIZED (
    SELECT task.id, task.sort_key,
      CASE WHEN task.search @@ words.of_title THEN 1 ELSE 2 END AS class,
      word_similarity(${query}, task.title) AS likeness
    FROM words, unnest(${viewer.spaceIds}::text[]) AS space (id)
    JOIN tasks AS task ON task.space_id = space.id
    WHERE task.search @@ words.of_task
    ORDER BY class, likeness DESC, task.sort_key, task.id
    LIMIT ${limit}
  ), alike AS (
    SELECT task.id, task.sort_key,
      CASE WHEN ${query} <% task.title THEN 3 ELSE 4 END AS class,
      greatest(word_similarity(${query}, task.title), word_similarity(${query}, task.description)) AS likeness
    FROM unnest(${viewer.spaceIds}::text[]) AS space (id)
    JOIN tasks AS task ON task.space_id = space.id
    WHERE (SELECT count(*) FROM exact) < ${limit}
      AND (${query} <% task.title OR ${query} <% task.description)
      AND task.id NOT IN (SELECT id FROM exact)
    ORDER BY class, likeness DESC, task.sort_key, task.id
    LIMIT ${limit}
  )
  SELECT id FROM (SELECT * FROM exact UNION ALL SELECT * FROM alike) AS found
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
