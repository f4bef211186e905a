const moment = (/** @type {string} */ column) =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * A task as JSON, its children by the given expression.
 * @param {string} task alias
 * @param {string} children
 */
const todo = (task, children) => `json_build_object(
  'id', ${task}.id, 'title', ${task}.title, 'description', ${task}.description,
  'priority', lower(${task}.priority::text), 'dueDate', ${task}.due_date, 'dueTime', ${moment(`${task}.due_time`)},
  'isAllDay', ${task}.is_all_day, 'completed', ${task}.completed, 'completedAt', ${moment(`${task}.completed_at`)},
  'color', ${task}.color, 'sortKey', ${task}.sort_key, 'reminder', ${task}.reminder,
  'tags', (
    SELECT coalesce(json_agg(json_build_object('id', tag.id, 'name', tag.name, 'color', lower(tag.color::text))
      ORDER BY tag.name), '[]')
    FROM task_tags JOIN tags AS tag ON tag.id = task_tags.tag_id
    WHERE task_tags.task_id = ${task}.id AND task_tags.space_id = $1
  ),
  'parentId', ${task}.parent_id, 'children', ${children},
  'projectId', nullif(${task}.project_id, (SELECT id FROM inbox)), 'projectSectionId', ${task}.section_id)`;

/**
 * The subtasks of a task, so many levels down.
 * @param {string} parent alias
 * @param {number} levels
 * @returns {string}
 */
const childrenOf = (parent, levels) =>
  levels === 0
    ? `'[]'::json`
    : `(SELECT coalesce(json_agg(${todo(`${parent}_`, childrenOf(`${parent}_`, levels - 1))}
        ORDER BY ${parent}_.sort_key, ${parent}_.id), '[]')
      FROM tasks AS ${parent}_ WHERE ${parent}_.parent_id = ${parent}.id)`;

/** GET /api/v2/todo; $1 is the user. */
export const listTodos = {
  name: 'list_todos',
  text: `
    WITH inbox AS MATERIALIZED (SELECT id FROM projects WHERE space_id = $1 AND is_default)
    SELECT json_build_object('todos', coalesce(json_agg(${todo('task', childrenOf('task', 2))}
      ORDER BY task.sort_key, task.id), '[]'))::text AS body
    FROM tasks AS task
    WHERE task.space_id IN (SELECT space_id FROM memberships WHERE user_id = $1)`,
};
