import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { recordPlans } from '../kit/plans.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const byKey = ['comments', 'task_assignees', 'task_tags', 'trash'];

test('the log looks up rows by their keys, although the tables were empty at the first change', async () => {
  const [anna, ben] = [await signUp(service), await signUp(service)];
  await service.sql('VACUUM ANALYZE');
  const nodes = await recordPlans(service.databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string; space_id: string }>(
      'SELECT id, space_id FROM projects WHERE space_id IN ($1, $2) ORDER BY space_id = $2',
      [anna.id, ben.id],
    );
    for (const { id, space_id } of rows) {
      await client.query(
        `INSERT INTO tasks (id, space_id, project_id, title, sort_key, assignee_ids) VALUES ('task_0', $1, $2, 'Tea', 'a0', $3)
        ON CONFLICT (id) DO UPDATE SET space_id = EXCLUDED.space_id, project_id = EXCLUDED.project_id, assignee_ids = '{}'`,
        [space_id, id, space_id === anna.id ? [anna.id] : []],
      );
    }
    await client.query(`DELETE FROM tasks WHERE id = 'task_0'`);
  });
  const scans = nodes.filter(
    (node) => byKey.includes(node['Relation Name'] ?? '') && node['Node Type'].endsWith('Scan') && node.Alias !== 'x',
  );
  expect(new Set(scans.map((scan) => scan['Relation Name']))).toEqual(new Set(byKey));
  expect(scans.filter((scan) => scan['Index Cond'] === undefined)).toEqual([]);
});
