import { taskId, userId } from './data.js';

/** Number of a workspace in its ids. Accounts have lower ones. */
const first = 9999;
const digits = (/** @type {number} */ number) => String(number).padStart(24, '0');
export const workspaceId = (number = first) => `wksp_01${digits(number)}`;
export const projectOfWorkspace = (number = first) => `proj_01${digits(number)}`;

/** @param {number} task */
export const workspaceTaskId = (task, number = first) => taskId(number, task);

/**
 * Creates a workspace with one project and its tasks.
 * @param {import('pg').Client} client
 * @param {{ number?: number, members: readonly number[], tasks: number }} size members are existing accounts
 */
export async function seedWorkspace(client, { number = first, members, tasks }) {
  const [id, projectId] = [workspaceId(number), projectOfWorkspace(number)];
  const userIds = members.map((account) => userId(account));
  const taskIds = Array.from({ length: tasks }, (_, index) => workspaceTaskId(index, number));
  await client.query('BEGIN');
  // As for accounts: log entries of the rows have expired.
  await client.query(`SET LOCAL session_replication_role = 'replica'`);
  await client.query(`INSERT INTO spaces (id, kind, name) VALUES ($1, 'WORKSPACE', 'Team')`, [id]);
  await client.query('INSERT INTO related_revisions (space_id) VALUES ($1) ON CONFLICT DO NOTHING', [id]);
  await client.query('INSERT INTO memberships (space_id, user_id) SELECT $1, unnest($2::text[])', [id, userIds]);
  await client.query(`INSERT INTO projects (id, space_id, name, slug) VALUES ($2, $1, 'Plan', 'plan')`, [
    id,
    projectId,
  ]);
  await client.query(
    `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
    SELECT task.id, $1, $2, 'Task ' || n, 'd' || lpad(n::text, 4, '0')
    FROM unnest($3::text[]) WITH ORDINALITY AS task (id, n)`,
    [id, projectId, taskIds],
  );
  await client.query('COMMIT');
}
