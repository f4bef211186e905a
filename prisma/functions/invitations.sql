-- Of one workspace, under its lock. Returns their number.
CREATE FUNCTION prune_invitations() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  workspace text := (SELECT space_id FROM invitations WHERE expires_at <= statement_timestamp() ORDER BY expires_at LIMIT 1);
  pruned integer;
BEGIN
  PERFORM lock_spaces(ARRAY[workspace]);
  DELETE FROM invitations WHERE space_id = workspace AND expires_at <= statement_timestamp();
  GET DIAGNOSTICS pruned = ROW_COUNT;
  RETURN pruned;
END $$;
