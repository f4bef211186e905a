-- A change of a user raises the revisions of several spaces: locked in the order that all writers keep
-- to, or else it and another writer may wait for each other in a circle.
CREATE OR REPLACE FUNCTION raise_revision_of_members() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moved text[] := ARRAY(SELECT m.space_id FROM memberships m JOIN new_rows u ON u.id = m.user_id);
BEGIN
  PERFORM lock_spaces(moved);
  UPDATE spaces SET revision = revision + 1 WHERE id = ANY (moved);
  RETURN NULL;
END $$;
