/** Queries for rows that break an invariant. */
const broken: Readonly<Record<string, string>> = {
  'a tree of tasks has at most ten levels': `
    WITH RECURSIVE tree AS (
      SELECT id, 1 AS level FROM tasks WHERE parent_id IS NULL
      UNION ALL SELECT tasks.id, level + 1 FROM tasks JOIN tree ON tasks.parent_id = tree.id
    ) SELECT id, level FROM tree WHERE level > 10`,
  'every task hangs on a tree without a circle': `
    WITH RECURSIVE tree AS (
      SELECT id FROM tasks WHERE parent_id IS NULL
      UNION SELECT tasks.id FROM tasks JOIN tree ON tasks.parent_id = tree.id
    ) SELECT id FROM tasks WHERE id NOT IN (SELECT id FROM tree)`,
  'a task is in the space of its project, and a subtask in its parent’s project': `
    SELECT tasks.id FROM tasks JOIN projects ON projects.id = tasks.project_id
    LEFT JOIN tasks AS parent ON parent.id = tasks.parent_id
    WHERE projects.space_id <> tasks.space_id OR parent.project_id <> tasks.project_id`,
  'a tag on a task is one of a member’s of its space': `
    SELECT task_tags.* FROM task_tags JOIN tasks ON tasks.id = task_id
    WHERE NOT EXISTS (
      SELECT FROM memberships WHERE user_id = task_tags.space_id AND memberships.space_id = tasks.space_id
    )`,
  'every account has one inbox and is a member of its own space': `
    SELECT users.id FROM users
    WHERE (SELECT count(*) FROM projects WHERE space_id = users.id AND is_default) <> 1
      OR NOT EXISTS (SELECT FROM memberships WHERE user_id = users.id AND space_id = users.id)`,
  'every workspace has a member': `
    SELECT id FROM spaces WHERE NOT EXISTS (SELECT FROM memberships WHERE space_id = spaces.id)`,
  'every workspace has an ADMIN': `
    SELECT id FROM spaces WHERE NOT EXISTS (SELECT FROM memberships WHERE space_id = spaces.id AND role = 'ADMIN')`,
  'every assignee is a member of the space': `
    SELECT tasks.id, user_id FROM tasks, unnest(assignee_ids) AS user_id
    WHERE NOT EXISTS (SELECT FROM memberships WHERE memberships.space_id = tasks.space_id AND memberships.user_id = user_id)`,
  'the list of assignees equals the column': `
    (SELECT id, unnest(assignee_ids) FROM tasks EXCEPT SELECT task_id, user_id FROM task_assignees)
    UNION ALL (SELECT task_id, user_id FROM task_assignees EXCEPT SELECT id, unnest(assignee_ids) FROM tasks)`,
  'a comment is in the space of its task': `
    SELECT comments.id FROM comments JOIN tasks ON tasks.id = task_id WHERE comments.space_id <> tasks.space_id`,
  'an event has its task, and an unread one its comment or assignment': `
    SELECT event.* FROM notification_events AS event LEFT JOIN tasks ON tasks.id = task_id
    WHERE tasks.id IS NULL OR read_at IS NULL AND CASE reason
      WHEN 'ASSIGNED' THEN user_id <> ALL (assignee_ids)
      ELSE NOT EXISTS (SELECT FROM comments WHERE id = comment_id) END`,
  'a user has at most one unread event for a comment': `
    SELECT user_id, comment_id FROM notification_events WHERE comment_id IS NOT NULL AND read_at IS NULL
    GROUP BY user_id, comment_id HAVING count(*) > 1`,
  'no entity is living and in the trash': `
    SELECT entity_id FROM trash WHERE EXISTS (
      SELECT FROM tasks WHERE id = entity_id UNION ALL SELECT FROM sections WHERE id = entity_id
      UNION ALL SELECT FROM projects WHERE id = entity_id UNION ALL SELECT FROM tags WHERE id = entity_id
      UNION ALL SELECT FROM comments WHERE id = entity_id
    )`,
  'an entity that can be restored has its image': `
    SELECT entity_id FROM trash WHERE erased_from IS NULL AND NOT EXISTS (
      SELECT FROM history WHERE history.operation_id = trash.operation_id AND history.space_id = trash.space_id
        AND kind = 'DELETED' AND NOT is_move AND entity_ids @> ARRAY[entity_id]
    )`,
  'a series has at most one open occurrence': `
    SELECT recurrence ->> 'seriesId' AS series FROM tasks WHERE recurrence IS NOT NULL AND NOT completed
    GROUP BY series HAVING count(*) > 1`,
  'no task that repeats is below another': `
    WITH RECURSIVE below AS (
      SELECT id FROM tasks WHERE recurrence IS NOT NULL AND NOT completed
      UNION SELECT tasks.id FROM tasks JOIN below ON tasks.parent_id = below.id
    ) SELECT child.id FROM tasks AS child JOIN below ON below.id = child.parent_id
    WHERE child.recurrence IS NOT NULL AND NOT child.completed`,
  'the dates of a series have the order of their numbers': `
    WITH occurrences AS (
      SELECT tasks.id, fields.* FROM tasks, jsonb_to_record(recurrence) AS fields (
        "seriesId" text, rule text, basis text, start date, date date, number integer
      ) WHERE recurrence IS NOT NULL AND recurrence ->> 'basis' <> 'COMPLETION'
    ) SELECT first.id, later.id AS other FROM occurrences AS first
    JOIN occurrences AS later USING ("seriesId", rule, start)
    WHERE (first.number < later.number) <> (first.date < later.date)`,
  'no row of the log lies beyond its space’s revision': `
    SELECT spaces.id FROM spaces JOIN changes ON space_id = spaces.id WHERE changes.revision > spaces.revision`,
};

/** @returns a line for each broken invariant */
export async function brokenInvariants(sql: (statement: string) => Promise<object[]>): Promise<string[]> {
  const lines: string[] = [];
  for (const [description, statement] of Object.entries(broken)) {
    const [row] = await sql(statement);
    if (row) lines.push(`not so: ${description}: ${JSON.stringify(row)}`);
  }
  return lines;
}
