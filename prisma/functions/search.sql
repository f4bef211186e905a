-- What the words of a search match among those of a space. In SQL, so that the planner sees through them.

-- The words that begin with one of a search, as a tsquery, and whether it is among them. Up to a thousand words of a space may replace the
-- prefixes of a search; past its share of them a prefix stays a prefix, and the index scans its own words.
CREATE FUNCTION words_begun(space text, asked text, of_words bigint) RETURNS TABLE (words text, has_whole boolean)
LANGUAGE sql STABLE AS $$
  SELECT
    CASE WHEN count(*) > 1000 / of_words OR sum(length(word)) > 100000 / of_words THEN quote_literal(asked) || ':*'
    ELSE string_agg(quote_literal(word), ' | ') END,
    bool_or(word = asked)
  FROM (
    SELECT word FROM task_words
    WHERE space_id = space AND word >= asked AND word < asked || chr(1114111)
    ORDER BY word
    LIMIT 1000 / of_words + 1
  ) AS begun
$$;

-- Up to ten words that one of a search may mean where it is misspelt, as a tsquery, in titles, and the likest of them.
-- The first eight words of a search may be misspelt, where they have three letters or more.
CREATE FUNCTION words_meant(space text, asked text, place bigint) RETURNS TABLE (words text, in_title text, best text)
LANGUAGE sql STABLE AS $$
  SELECT string_agg(quote_literal(word), ' | '), string_agg(quote_literal(word) || ':A', ' | '),
    (array_agg(quote_literal(word) ORDER BY likeness DESC, word))[1]
  FROM (
    SELECT word, 1 AS likeness FROM task_words
    WHERE space_id = space AND word = ANY (ARRAY(
      SELECT overlay(asked PLACING reverse(substr(asked, n, 2)) FROM n FOR 2)
      FROM generate_series(1, char_length(asked) - 1) AS n
    ))
    UNION ALL
    SELECT word, word_similarity(trigram_letters(asked), trigram_letters(word)) FROM task_words
    WHERE space_id = space AND trigram_letters(asked) <% trigram_letters(word)
      -- As the index of likeness says it.
      AND word ~ '[^-+.0-9]' AND char_length(word) <= 64
    ORDER BY likeness DESC, word
    LIMIT 10
  ) AS alike
  WHERE NOT starts_with(word, asked) AND place <= 8
    AND char_length(asked) BETWEEN 3 AND 64 AND asked ~ '[^-+.0-9]'
$$;

-- Ids of all tasks of the spaces that a search for the text finds, where it does not stop at the best.
CREATE FUNCTION tasks_found(spaces text[], asked text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  WITH word AS MATERIALIZED (
    SELECT word, place, count(*) OVER () AS words,
      -- As the service's connections have it; those of a pooler come without settings.
      set_config('pg_trgm.word_similarity_threshold', '0.3', true)
    FROM unnest(to_tsvector('simple', search_text(asked))) WITH ORDINALITY AS word (word, positions, weights, place)
  ), wanted AS MATERIALIZED (
    SELECT space_id, string_agg('(' || concat_ws(' | ', begun.words, meant.words) || ')', ' & ')::tsquery AS query
    FROM unnest(spaces) AS space (space_id), word,
      LATERAL words_begun(space_id, word, word.words) AS begun,
      LATERAL words_meant(space_id, word, place) AS meant
    GROUP BY space_id
    HAVING bool_and(coalesce(begun.words, meant.words) IS NOT NULL)
  )
  SELECT task.id FROM wanted, LATERAL (
    SELECT id FROM tasks WHERE space_id = wanted.space_id AND search @@ wanted.query OFFSET 0
  ) AS task
$$;
