import { taskId, userId } from './data.js';

/** Account number of the workspace in the ids of its tasks. */
const number = 9999;
const id = `wksp_01${'0'.repeat(20)}${number}`;
export const workspaceProjectId = `proj_01${'0'.repeat(20)}${number}`;

/** @param {number} task */
export const workspaceTaskId = (task) => taskId(number, task);

/**
 * Creates a workspace with one project and its tasks.
 * @param {import('pg').Client} client
 * @param {{ members: readonly number[], tasks: number }} size members are existing accounts
 */
export async function seedWorkspace(client, { members, tasks }) {
  const userIds = members.map((account) => userId(account));
  const taskIds = Array.from({ length: tasks }, (_, index) => workspaceTaskId(index));
  await client.query('BEGIN');
  // As for accounts: log entries of the rows have expired.
  await client.query(`SET LOCAL session_replication_role = 'replica'`);
  await client.query(`INSERT INTO spaces (id, kind, name) VALUES ($1, 'WORKSPACE', 'Team')`, [id]);
  await client.query('INSERT INTO related_revisions (space_id) VALUES ($1) ON CONFLICT DO NOTHING', [id]);
  await client.query('INSERT INTO memberships (space_id, user_id) SELECT $1, unnest($2::text[])', [id, userIds]);
  await client.query(`INSERT INTO projects (id, space_id, name, slug) VALUES ($2, $1, 'Plan', 'plan')`, [
    id,
    workspaceProjectId,
  ]);
  await client.query(
    `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
    SELECT task.id, $1, $2, 'Task ' || n, 'd' || lpad(n::text, 5, '0')
    FROM unnest($3::text[]) WITH ORDINALITY AS task (id, n)`,
    [id, workspaceProjectId, taskIds],
  );
  await client.query('COMMIT');
}
