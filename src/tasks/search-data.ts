import { resultOf } from '@taskgate/nested-read';
import { readUnderSettings } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../platform/context.ts';
import { tagSpaceOf } from '../platform/policy.ts';

const { sql } = Prisma;

const prefixes = (query: string) => sql`(
  SELECT string_agg(quote_literal(lexeme) || ':*', ' & ')::tsquery FROM unnest(to_tsvector('simple', search_text(${query})))
)`;

/** Matches per space to compare, which costs more than to match. */
const maxCompared = 500;

/** If `minOfProbed` of a space's first tasks match, the first `maxWalked` should contain enough matches. */
const probed = 100;
const minOfProbed = 10;
const maxWalked = (probed / minOfProbed) * maxCompared;

const sortedTasks = sql`SELECT * FROM tasks WHERE space_id = wanted.space_id ORDER BY sort_key, id`;

/**
 * Orders by title matches, exact words, sort key. If matches are dense, reads only the first tasks in order.
 * @param wanted has `named` (the query), `of_title` (the query on the title), `best` (exact words; null if the space
 * lacks one)
 * @param excludedIds ids to exclude
 */
const matches = (wanted: Prisma.Sql, [inTitle, elsewhere]: readonly [number, number], excludedIds: Prisma.Sql) => sql`
  ${wanted} AS wanted, LATERAL (
    WITH front AS MATERIALIZED (
      SELECT id, title, description, sort_key FROM (${sortedTasks} LIMIT ${maxWalked}) AS task
      WHERE search @@ (of_title && coalesce(best, of_title)) AND id NOT IN (${excludedIds}) AND ${minOfProbed} <= (
        SELECT count(*) FROM (${sortedTasks} LIMIT ${probed}) AS task WHERE search @@ (of_title && coalesce(best, of_title))
      )
      ORDER BY sort_key, id
      LIMIT ${maxCompared}
    )
    SELECT *, ${inTitle}::int AS class FROM front WHERE (SELECT count(*) FROM front) = ${maxCompared}
    UNION ALL (
      SELECT id, title, description, sort_key,
        CASE WHEN search @@ of_title THEN ${inTitle}::int ELSE ${elsewhere}::int END AS class
      FROM tasks
      WHERE (SELECT count(*) FROM front) < ${maxCompared}
        AND space_id = wanted.space_id AND search @@ named AND id NOT IN (${excludedIds})
      ORDER BY class, search @@ best DESC, sort_key, id
      LIMIT ${maxCompared}
    )
  ) AS task`;

/**
 * Ranks by a word or prefix in the title, then description, then by similarity of the title, then description.
 * Similarity counts only if exact matches do not fill the list. First finds the query's words, as prefixes and
 * misspelt, among each space's words. Then searches tasks only for whole words, because a prefix would read the index
 * entries of all spaces. Each space has its own limited list.
 */
const findTaskIds = ({ spaceIds }: Viewer, query: string, limit: number) => sql`
  WITH asked AS MATERIALIZED (
    SELECT word, place, count(*) OVER () AS words, quote_literal(word) AS whole, quote_literal(word) || ':*' AS prefix
    FROM unnest(to_tsvector('simple', search_text(${query}))) WITH ORDINALITY AS asked (word, positions, weights, place)
  ), begun_words AS MATERIALIZED (
    SELECT space_id, asked.*, begun.words AS named, begun.has_whole
    FROM unnest(${spaceIds}::text[]) AS space (space_id), asked,
      LATERAL words_begun(space.space_id, asked.word, asked.words) AS begun
  ), exactly AS MATERIALIZED (
    SELECT space_id, string_agg('(' || named || ')', ' & ')::tsquery AS named,
      string_agg(prefix || 'A', ' & ')::tsquery AS of_title,
      CASE WHEN bool_and(has_whole) THEN string_agg(whole, ' & ')::tsquery END AS best
    FROM begun_words GROUP BY space_id HAVING bool_and(named IS NOT NULL)
  ), exact AS MATERIALIZED (
    SELECT id, sort_key, class, word_similarity(${query}, title) AS likeness
    FROM ${matches(sql`exactly`, [1, 2], sql`SELECT NULL WHERE false`)}
    ORDER BY class, likeness DESC, sort_key, id
    LIMIT ${limit}
  ), meant AS MATERIALIZED (
    SELECT begun_words.*, alike.words AS alike, alike.in_title, alike.best
    FROM begun_words, LATERAL words_meant(begun_words.space_id, begun_words.word, begun_words.place) AS alike
    WHERE (SELECT count(*) FROM exact) < ${limit}
  ), alike AS MATERIALIZED (
    SELECT space_id, string_agg('(' || concat_ws(' | ', named, alike) || ')', ' & ')::tsquery AS named,
      string_agg('(' || concat_ws(' | ', prefix || 'A', in_title) || ')', ' & ')::tsquery AS of_title,
      CASE WHEN bool_and(has_whole OR best IS NOT NULL)
        THEN string_agg(CASE WHEN has_whole THEN whole ELSE best END, ' & ')::tsquery END AS best
    FROM meant GROUP BY space_id HAVING bool_and(coalesce(named, alike) IS NOT NULL) AND bool_or(alike IS NOT NULL)
  )
  SELECT id FROM (
    SELECT * FROM exact
    UNION ALL
    SELECT id, sort_key, class, word_similarity(${query}, CASE class WHEN 3 THEN title ELSE description END)
    FROM ${matches(sql`alike`, [3, 4], sql`SELECT id FROM exact`)}
  ) AS found
  ORDER BY class, likeness DESC, sort_key, id
  LIMIT ${limit}`;

export const idsMatching = ({ spaceIds }: Viewer, text: string) =>
  resultOf(sql`SELECT id FROM matching_task_ids(${spaceIds}, ${text}) AS found (id)`);

/** Ranks tags in the same way. */
const findTagIds = (viewer: Viewer, query: string, limit: number) => sql`
  SELECT id FROM tags
  WHERE space_id = ${tagSpaceOf(viewer)}
    AND (to_tsvector('simple', search_text(name)) @@ ${prefixes(query)} OR ${query} <% name)
  ORDER BY (to_tsvector('simple', search_text(name)) @@ ${prefixes(query)}) IS TRUE DESC, word_similarity(${query}, name) DESC, name
  LIMIT ${limit}`;

/** Best first, at most `limit` of each. */
export async function findIds(viewer: Viewer, query: string, limit: number) {
  const [tasks = [], tags = []] = await readUnderSettings<{ id: string }>(viewer, [
    findTaskIds(viewer, query, limit),
    findTagIds(viewer, query, limit),
  ]);
  return { taskIds: tasks.map(({ id }) => id), tagIds: tags.map(({ id }) => id) };
}
