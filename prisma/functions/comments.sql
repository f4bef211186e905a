-- Entries of the log for tasks whose comments changed. Their rows stay the same.
CREATE FUNCTION changes_of_comments(tasks_of text[]) RETURNS change_entry[] LANGUAGE plpgsql AS $$
BEGIN
  RETURN ARRAY(
    SELECT (space_id, 'TASK', 'UPDATED', array_agg(id), '{comments}', project_id, NULL)::change_entry
    FROM tasks WHERE id = ANY (tasks_of) GROUP BY space_id, project_id
  );
END $$;

-- For use after lock_for_write, with its result. No row if the task is elsewhere.
--   named: ids of users, of whom members of the space are mentioned
CREATE FUNCTION place_of_comment(task text, within text[], named text[])
RETURNS TABLE (space_id text, comments integer, mentioned text[]) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT tasks.space_id, (SELECT count(*)::integer FROM comments WHERE task_id = task),
    ARRAY(SELECT user_id FROM memberships WHERE memberships.space_id = tasks.space_id AND user_id = ANY (named))
  FROM tasks WHERE tasks.id = task AND tasks.space_id = ANY (within);
END $$;
