-- For use after lock_for_write: the last sort key of the project's tasks.
CREATE FUNCTION last_sort_key(project text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT max(sort_key) FROM tasks WHERE project_id = project);
END $$;

-- The sort key that follows a last one (null: of an empty list), as fractional-indexing's generateKeyBetween(last, null)
-- makes it: one more than the key's integer part, of base 62, whose head tells the number of its digits, from a for
-- one to z for twenty-six. Null where the last key is no such key, or has the greatest integer part that there
-- is: then the service, which can follow any key, has to pick one.
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
