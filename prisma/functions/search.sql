-- Removes case, accents and vowel points. Runs of letters in scripts without spaces become pairs of neighbours, the first and
-- the last letter: a search finds any part.
CREATE FUNCTION folded_letters(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  marks CONSTANT text := '[\u00AD\u0300-\u036F\u0483-\u0487\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u065F'
    '\u0670\u06D6-\u06DC\u1AB0-\u1AFF\u1DC0-\u1DFF\u200B-\u200F\u2060\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\uFEFF]+';
  signs CONSTANT text := '[\u0080-\u00BF\u00D7\u00F7\u2010-\u205F\u2E00-\u2E7F\u3000-\u3004\u3008-\u3020\u3030\u30A0\u30FB]+';
  -- Chinese, Japanese, Thai, Lao, Burmese, Khmer: a letter with its marks.
  letter CONSTANT text := '[\u0E01-\u0E30\u0E32\u0E33\u0E40-\u0E46\u0E81-\u0EB0\u0EB2\u0EB3\u0EBD-\u0EC6\u0EDC-\u0EDF\u1000-\u102A'
    '\u103F\u1050-\u1055\u1780-\u17B3\u3005-\u3007\u3041-\u3096\u309D-\u309F\u30A1-\u30FA\u30FC-\u312F\u31F0-\u31FF\u3400-\u4DBF'
    '\u4E00-\u9FFF\uF900-\uFAFF\U00020000-\U0003FFFF]'
    '[\u0E31\u0E34-\u0E3A\u0E47-\u0E4E\u0EB1\u0EB4-\u0EBC\u0EC8-\u0ECE\u102B-\u103E\u1056-\u1059\u17B4-\u17D3\u17DD\u3099\u309A]*';
BEGIN
  value := lower(normalize(regexp_replace(normalize(value, NFKD), marks, '', 'g'), NFC) COLLATE "und-x-icu");
  -- Unicode does not decompose these letters.
  value := replace(replace(replace(translate(value, 'ςøłđħŧı', 'σoldhti'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe');
  value := regexp_replace(value, signs, ' ', 'g');
  IF value !~ letter THEN
    RETURN value;
  END IF;
  value := regexp_replace(value, '(?:' || letter || ')+', ' \& ', 'g');
  -- Each letter twice: 'abc' becomes 'a ab bc c'.
  RETURN regexp_replace(value, letter, '\& \&', 'g');
END $$;

-- With these signs, the parser takes addresses, paths and negative numbers as one word.
CREATE FUNCTION search_text(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  -- A tenth of the time of translate(). Most texts are ASCII.
  SELECT regexp_replace(
    CASE WHEN octet_length(value) = char_length(value) THEN value ELSE folded_letters(value) END, '[-+./@_<&~]', ' ', 'g'
  )
$$;

-- In SQL, so the planner can inline these functions.

-- Words that begin with a searched one, as a tsquery, and whether it is among them. Up to 1,000 words of a space replace the
-- prefixes of a search. Above its share, a prefix remains.
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

-- Up to ten words for a misspelt one, as a tsquery, in titles, and the most similar. For the first eight words of a search, if
-- they have three letters or more.
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
      -- As in the index.
      AND word ~ '[^-+.0-9]' AND char_length(word) <= 64
    ORDER BY likeness DESC, word
    LIMIT 10
  ) AS alike
  WHERE NOT starts_with(word, asked) AND place <= 8
    AND char_length(asked) BETWEEN 3 AND 64 AND asked ~ '[^-+.0-9]'
$$;

-- All matches, not only the best.
CREATE FUNCTION matching_task_ids(spaces text[], asked text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  WITH word AS MATERIALIZED (
    SELECT word, place, count(*) OVER () AS words,
      -- As on the service's connections; a pooler's lack settings.
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
