import type { Service } from '../kit/service.ts';
import type { User } from '../kit/users.ts';

export const makeMany = (
  service: Service,
  spaceId: string,
  { projectId, count: tasks, dueTime }: { projectId?: string; count: number; dueTime: string },
): Promise<unknown> =>
  service.sql(
    `INSERT INTO tasks (id, space_id, project_id, title, sort_key, reminder, due_time, is_all_day)
     SELECT 'task_' || $1 || n, $1, project.id, 'many', 'a' || n, true, $3, false
     FROM generate_series(1, $4::int) AS n, projects AS project
     WHERE project.space_id = $1 AND (project.id = $2 OR $2 IS NULL AND is_default)`,
    [spaceId, projectId ?? null, dueTime, tasks],
  );

/** Counts rows. @param what a table and a condition */
export const count = async (service: Service, what: string, ...values: unknown[]): Promise<number | undefined> =>
  (await service.sql<{ count: number }>(`SELECT count(*)::int AS count FROM ${what}`, values))[0]?.count;

export const rowsOf = async (service: Service, { id: userId }: User, { id }: { id: string }): Promise<string[]> => {
  const rows = await service.sql<{ status: string }>(
    'SELECT status FROM deliveries WHERE user_id = $1 AND task_id = $2',
    [userId, id],
  );
  return rows.map(({ status }) => status);
};
