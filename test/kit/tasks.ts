import type { Service } from './service.ts';

export interface FillOptions {
  /** Default: 1, no subtasks. */
  levels?: number;
  description?: string;
  sectionId?: string;
  projectId?: string;
}

/** Inserts chains of subtasks by SQL, faster than any client. */
export async function fill(
  service: Service,
  { id }: { id: string },
  count: number,
  { levels = 1, description, sectionId, projectId }: FillOptions = {},
) {
  await service.sql(
    `INSERT INTO tasks (id, space_id, project_id, section_id, parent_id, title, description, sort_key)
     SELECT prefix || lpad(n::text, 8, '0'), $1, projects.id, $6,
       CASE WHEN n % $3 <> 1 % $3 THEN prefix || lpad((n - 1)::text, 8, '0') END,
       'task ' || n, $4, 'd' || lpad(n::text, 8, '0')
     FROM projects, generate_series(1, $2::int) AS n, format('task_0%s', right(projects.id, 17)) AS prefix
     WHERE space_id = $1 AND CASE WHEN $5::text IS NULL THEN is_default ELSE projects.id = $5 END`,
    [id, count, levels, description ?? null, projectId ?? null, sectionId ?? null],
  );
  // As autovacuum does later.
  await service.sql('ANALYZE tasks');
}
