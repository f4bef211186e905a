import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pruneHistory } from '../../src/history/retention-data.ts';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

const days = 30;

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await startService({ HISTORY_RETENTION_DAYS: String(days) });
  anna = await signUp(service);
});
afterAll(() => service.close());

/** Makes an operation older. @returns its id, which begins with the time @param by in days */
async function backdate({ headers }: { headers: Headers }, by: number): Promise<string> {
  const [operation] = await service.sql<{ id: string }>(
    `WITH aged AS (
        UPDATE operations SET id = first_operation_id(at - make_interval(days => $2)) || substr(id, 14), at = at - make_interval(days => $2)
        WHERE id = $1 RETURNING id
      ), kept AS (UPDATE history SET operation_id = aged.id FROM aged WHERE operation_id = $1),
        deleted AS (UPDATE trash SET operation_id = aged.id FROM aged WHERE operation_id = $1)
    SELECT id FROM aged`,
    [headers.get('x-operation-id'), by],
  );
  if (!operation) throw new Error('there is no such operation');
  return operation.id;
}

async function makeOperations(by: number) {
  const { id } = await makeTask(anna, { title: 'one' });
  const updated = await backdate(await anna.patch(`/api/v2/todo/${id}`, { title: 'two' }), by);
  const task = (await makeTask(anna)).id;
  return { id, updated, task, deleted: await backdate(await anna.delete(`/api/v2/todo/${task}`), by) };
}

const undo = (id: string) => anna.post(`/api/v2/operations/${id}/undo`);
const trash = async () => (await anna.get<{ trash: { id: string }[] }>('/api/v2/trash')).body.trash.map(({ id }) => id);
const imagesOf = async (...ids: string[]) =>
  (await service.sql('SELECT FROM history WHERE operation_id = ANY ($1)', [ids])).length;

test('operations beyond the retention period are neither undone nor restored, and their images are deleted', async () => {
  const [old, recent] = [await makeOperations(days + 1), await makeOperations(days - 1)];
  expect(await imagesOf(old.updated, old.deleted)).toBe(2);
  for (const id of [old.updated, old.deleted]) {
    expect(await undo(id)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'operationId' }] },
    });
    const { operation } = await anna.data<{ operation: object }>(
      'query ($id: ID!) { operation(id: $id) { undoable changes { nodes { id } } } }',
      { id },
    );
    expect(operation).toEqual({ undoable: false, changes: { nodes: [] } });
  }
  expect(await trash()).toEqual([recent.task]);
  expect(await anna.post('/api/v2/trash/restore', { ids: [old.task] })).toMatchObject({ status: 404 });
  expect(await pruneHistory(service.services.connections, days)).toBe(2);
  expect(await imagesOf(old.updated, old.deleted)).toBe(0);
  expect(await undo(old.updated)).toMatchObject({ status: 400, body: { errors: [{ path: 'operationId' }] } });
  expect(await undo(recent.updated)).toMatchObject({ status: 200, body: { applied: 1, conflicts: [] } });
  expect(await anna.get(`/api/v2/todo/${recent.id}`)).toMatchObject({ body: { todo: { title: 'one' } } });
  expect(await anna.post('/api/v2/trash/restore', { ids: [recent.task] })).toMatchObject({ body: { applied: 1 } });
});
