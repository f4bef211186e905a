import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { isRead, recordStatements, watchStatements } from '../kit/statements.ts';
import { makeTask } from '../kit/make.ts';
import { signUp, type User } from '../kit/users.ts';
import { operationOf } from './undoing.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  watchStatements();
  service = await startService({ RATE_LIMITS: 'off' });
  anna = await signUp(service);
});
afterAll(() => service.close());

const tasks = 1000;
const idOf = (number: number) => `task_01h455vb4pex5vsknk${String(number).padStart(8, '0')}`;
const ids = Array.from({ length: tasks }, (_, number) => idOf(number));

/** Blocks that PostgreSQL reads when the statements of a request run again. */
async function blocksOf(request: () => Promise<{ status: number }>): Promise<number> {
  const { result, own } = await recordStatements(request);
  expect(result.status).toBe(200);
  let blocks = 0;
  for (const { sql, values } of own.filter((each) => isRead(each) && each.name !== undefined)) {
    const [row] = await service.sql<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`,
      values,
    );
    const { Plan: plan } = row?.['QUERY PLAN'][0] ?? { Plan: {} };
    blocks += (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
  }
  expect(blocks).toBeGreaterThan(0);
  return blocks;
}

test('the cost of the trash and of an undo does not grow with earlier deletions of the same tasks', async () => {
  await service.sql(
    `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
     SELECT id, $1, (SELECT id FROM projects WHERE space_id = $1), 'Task', 'a' || lpad(n::text, 6, '0')
     FROM unnest($2::text[]) WITH ORDINALITY AS row (id, n)`,
    [anna.id, ids],
  );
  const restore = () => anna.post('/api/v2/trash/restore', { ids });
  const measured: Record<'trash' | 'undo', number>[] = [];
  for (let round = 0; round < 40; round += 1) {
    const deletion = operationOf(await anna.delete(`/api/v2/todo/bulk?todoIds=${ids.join()}`));
    // As autovacuum does between two bulk changes: dead rows of a minute would hide the growth.
    await service.sql('VACUUM ANALYZE trash, history, operations, tasks');
    if (round === 0 || round === 39) {
      measured.push({
        trash: await blocksOf(() => anna.get('/api/v2/trash?limit=500')),
        undo: await blocksOf(() => anna.post(`/api/v2/operations/${deletion}/undo`, { dryRun: true })),
      });
    }
    expect(await restore()).toMatchObject({ status: 200, body: { applied: tasks, conflicts: [] } });
  }
  const [first, last] = measured;
  for (const name of ['trash', 'undo'] as const) {
    expect((last?.[name] ?? Infinity) / (first?.[name] ?? 1)).toBeLessThanOrEqual(2);
  }
}, 300_000);

async function fetchesAfter(changes: number): Promise<number> {
  const { id } = await makeTask(anna);
  const first = operationOf(await anna.patch(`/api/v2/todo/${id}`, { title: 'first' }));
  for (let round = 0; round < changes; round += 1) await anna.patch(`/api/v2/todo/${id}`, { title: `turn ${round}` });
  const { own, result } = await recordStatements(() => anna.post(`/api/v2/operations/${first}/undo`, { dryRun: true }));
  expect(result).toMatchObject({ body: { applied: 0, conflicts: [{ field: 'title' }] } });
  return own.filter(({ sql }) => sql.includes('FROM changed')).length;
}

test('an undo whose parts were changed again reads the newest changes only', async () => {
  const fetchesOfOne = await fetchesAfter(1);
  expect(fetchesOfOne).toBeGreaterThan(0);
  expect(await fetchesAfter(40)).toBe(fetchesOfOne);
});
