/**
 * JSON is written as text, in half the time of json_build_object, which looks up the type of every value.
 * @param {string} value an expression of JSON text
 */
const orNull = (value) => `coalesce(${value}, 'null')`;
const text = (/** @type {string} */ column) => orNull(`to_json(${column})::text`);
/** For text without escapes. */
const quotedText = (/** @type {string} */ value) => orNull(`'"' || ${value} || '"'`);
const moment = (/** @type {string} */ column) =>
  quotedText(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
const booleanLiteral = (/** @type {string} */ column) =>
  `CASE ${column} WHEN true THEN 'true' WHEN false THEN 'false' ELSE 'null' END`;

/**
 * A task as JSON.
 * @param {string} children expression of its subtasks
 */
const todo = (children) => `
  '{"id":"' || task.id || '","title":' || to_json(task.title)::text || ',"description":' || ${text('task.description')}
  || ',"priority":' || ${quotedText('lower(task.priority::text)')} || ',"dueDate":' || ${quotedText('task.due_date::text')}
  || ',"dueTime":' || ${moment('task.due_time')} || ',"isAllDay":' || ${booleanLiteral('task.is_all_day')}
  || ',"completed":' || ${booleanLiteral('task.completed')} || ',"completedAt":' || ${moment('task.completed_at')}
  || ',"color":' || ${quotedText('task.color')} || ',"sortKey":' || to_json(task.sort_key)::text
  || ',"reminder":' || ${booleanLiteral('task.reminder')} || ',"tags":[' || coalesce(tagged.tags, '')
  || '],"parentId":' || ${quotedText('task.parent_id')} || ',"children":[' || ${children}
  || '],"projectId":' || ${quotedText('nullif(task.project_id, (SELECT id FROM inbox))')}
  || ',"projectSectionId":' || ${quotedText('task.section_id')} || '}'`;

/**
 * Subtasks by parent.
 * @param {string} children expression of their own subtasks
 * @param {string} from
 */
const subtasks = (children, from) => `
  SELECT task.parent_id, string_agg(${todo(children)}, ',' ORDER BY task.sort_key, task.id) AS children
  FROM task LEFT JOIN tagged ON tagged.task_id = task.id ${from}
  WHERE task.parent_id IS NOT NULL GROUP BY task.parent_id`;

/** GET /api/v2/todo; $1: user. Reads every task once, as deep as the data. */
export const listTodos = {
  name: 'list_todos',
  text: `
    WITH inbox AS MATERIALIZED (
      SELECT id FROM projects WHERE space_id = $1 AND is_default
    ), task AS MATERIALIZED (
      SELECT * FROM tasks WHERE space_id IN (SELECT space_id FROM memberships WHERE user_id = $1)
    ), tag AS MATERIALIZED (
      SELECT id, name,
        '{"id":"' || id || '","name":' || to_json(name)::text || ',"color":"' || lower(color::text) || '"}' AS json
      FROM tags WHERE space_id = $1
    ), tagged AS MATERIALIZED (
      SELECT task_tags.task_id, string_agg(tag.json, ',' ORDER BY tag.name) AS tags
      FROM tag JOIN task_tags ON task_tags.tag_id = tag.id GROUP BY task_tags.task_id
    ), second AS MATERIALIZED (
      ${subtasks(`''`, '')}
    ), first AS MATERIALIZED (
      ${subtasks(`coalesce(second.children, '')`, 'LEFT JOIN second ON second.parent_id = task.id')}
    )
    SELECT '{"todos":[' || coalesce(string_agg(${todo(`coalesce(first.children, '')`)}, ','
      ORDER BY task.sort_key, task.id), '') || ']}' AS body
    FROM task LEFT JOIN tagged ON tagged.task_id = task.id LEFT JOIN first ON first.parent_id = task.id`,
};

/** PATCH /api/v2/todo/bulk; $1: tasks, $2: new value. */
export const updateTodos = {
  name: 'update_todos',
  text: 'UPDATE team_tasks SET reminder = $2, updated_at = now() WHERE id = ANY ($1)',
};
