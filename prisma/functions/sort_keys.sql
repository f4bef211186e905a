-- For use after lock_for_write.
CREATE FUNCTION last_sort_key(project text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT max(sort_key) FROM tasks WHERE project_id = project);
END $$;

-- As fractional-indexing's generateKeyBetween(last, null): the integer part plus one, in base 62. Its head gives its number of
-- digits, from a (1) to z (26). Null if the last key has another form or the greatest integer part: the service, which can
-- follow any key, must then choose.
CREATE FUNCTION key_after(last text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  head text := left(last, 1);
  digits integer := ascii(head) - ascii('a') + 1;
  counted text;
  kept text;
BEGIN
  IF last IS NULL THEN
    RETURN 'a0';
  END IF;
  IF last COLLATE "C" !~ '^[a-z][0-9A-Za-z]+$' OR length(last) <= digits OR (length(last) > digits + 1 AND last LIKE '%0')
  THEN
    RETURN NULL;
  END IF;
  counted := substr(last, 2, digits);
  kept := rtrim(counted, 'z');
  IF kept <> '' THEN
    RETURN head || left(kept, -1) || translate(
      right(kept, 1),
      '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxy',
      '123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    ) || repeat('0', digits - length(kept));
  END IF;
  RETURN CASE WHEN digits < 26 THEN chr(ascii(head) + 1) || repeat('0', digits + 1) END;
END $$;
