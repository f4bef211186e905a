import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createReplica, memoryStorage, tasks } from 'taskgate-client';
import { contentOf } from '../client/content.ts';
import { clientAs, contentOfService, untilLive, untilShown } from '../client/kit.ts';
import { newId } from '../../src/platform/ids.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';
import { pruneHistory } from '../../src/history/retention-data.ts';
import { runRounds } from './random-undo.ts';

let service: Service;

describe('undo', () => {
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  test('restores the earlier state after any operations, or names each difference', async () => {
    await runRounds(() => service, { runs: Number(process.env['ROUNDS'] ?? 60), steps: 30 });
  }, 1_200_000);

  test('shows a restored project with 1,000 tasks on three levels to a subscriber and a replica unchanged', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const sections = [await makeSection(anna, project.id), await makeSection(anna, project.id)];
    const tag = await makeTag(ben);
    for (const section of sections) {
      await makeTask(ben, { projectId: project.id, projectSectionId: section.id, tags: [tag.id] });
    }
    const rows: { id: string; parent: string | null }[] = [];
    const add = (parent: string | null, ...below: number[]) => {
      const id = newId('Task');
      rows.push({ id, parent });
      for (let count = 0; count < (below[0] ?? 0); count += 1) add(id, ...below.slice(1));
    };
    for (let count = 0; count < 100; count += 1) add(null, 3, 2);
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, section_id, parent_id, title, sort_key, created_at, updated_at)
      SELECT id, $1, $2, $3, parent, 'Task', 'b' || lpad(n::text, 4, '0'), now(), now()
      FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS row (id, parent, n)`,
      [workspace.id, project.id, sections[0]?.id, rows.map(({ id }) => id), rows.map(({ parent }) => parent)],
    );
    await service.sql(
      'INSERT INTO task_tags (task_id, tag_id, space_id) SELECT id, $1, $2 FROM tasks WHERE project_id = $3 ON CONFLICT DO NOTHING',
      [tag.id, ben.id, project.id],
    );
    const client = clientAs(service, ben);
    const replica = await createReplica({ client, storage: memoryStorage() });
    await untilLive(replica);
    const before = await contentOfService(client);
    expect(before.tasks.length).toBe(1002);
    await untilShown(replica, tasks.all(), ({ length }) => length === before.tasks.length);
    const received = { created: new Set<string>(), deleted: new Set<string>() };
    const changes = client.subscribe<{ taskChanges: { kind: string; taskId: string } }>(
      'subscription { taskChanges { kind taskId } }',
    );
    const receiveChanges = async () => {
      for await (const {
        taskChanges: { kind, taskId },
      } of changes) {
        (kind === 'DELETED' ? received.deleted : received.created).add(taskId);
        if (received.created.size === before.tasks.length) return;
      }
    };
    const receiving = receiveChanges();
    const answer = await anna.delete(`/api/v2/projects/${project.id}`);
    await untilShown(replica, tasks.all(), ({ length }) => length === 0);
    const undoResult = await anna.post(`/api/v2/operations/${answer.headers.get('x-operation-id')}/undo`);
    expect(undoResult).toMatchObject({ status: 200, body: { applied: before.tasks.length + 3, conflicts: [] } });
    await untilShown(replica, tasks.all(), ({ length }) => length === before.tasks.length);
    expect(contentOf(replica)).toEqual(await contentOfService(client));
    const withoutUpdatedAt = ({ updatedAt: _, ...task }: (typeof before.tasks)[number]) => task;
    expect(contentOf(replica).tasks.map(withoutUpdatedAt)).toEqual(before.tasks.map(withoutUpdatedAt));
    await receiving;
    await replica.close();
  }, 600_000);

  test('has no limit of bytes for a deletion, which stays inside the database, and 64 MB for an update', async () => {
    const anna = await signUp(service);
    const { id } = await makeProject(anna);
    // These are 98 MB, which no row of the history holds alone.
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, description, sort_key)
       SELECT 'task_01h455vb4pex5vsknk' || lpad(n::text, 7, '0'), $1, $2, 'Long', n || repeat('word', 4000), 'a' || lpad(n::text, 6, '0')
       FROM generate_series(1, 6150) AS n`,
      [anna.id, id],
    );
    const content = () =>
      service.sql(
        `SELECT count(*)::int, sum(hashtextextended((to_jsonb(tasks) - 'updated_at')::text, 0))::text AS hash
         FROM tasks WHERE project_id = $1`,
        [id],
      );
    const before = await content();
    const deleted = await anna.delete(`/api/v2/projects/${id}`);
    const operationId = deleted.headers.get('x-operation-id');
    const rows = await service.sql<{ bytes: number }>(
      `SELECT (SELECT sum(octet_length(image)) FROM unnest(images) AS image)::int AS bytes FROM history
       WHERE operation_id = $1 AND type = 'TASK' ORDER BY bytes`,
      [operationId],
    );
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.at(-1)?.bytes).toBeLessThan(9_000_000);
    const { operation } = await anna.data<{ operation: { changes: { nodes: unknown[] } } }>(
      'query ($id: ID!) { operation(id: $id) { changes(first: 2) { edges { node { fields { name before } } } } } }',
      { id: operationId },
    );
    expect(operation).toMatchObject({ changes: { edges: [{}, {}] } });
    const undoResult = await anna.post(`/api/v2/operations/${operationId}/undo`);
    expect(undoResult).toMatchObject({ status: 200, body: { applied: 6151, conflicts: [] } });
    expect(await content()).toEqual(before);
    await service.sql("UPDATE tasks SET description = 'short' WHERE project_id = $1", [id]);
    const [updated] = await service.sql<{ id: string }>('SELECT id FROM operations ORDER BY id DESC LIMIT 1');
    expect(await anna.post(`/api/v2/operations/${updated?.id}/undo`)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'operationId' }] },
    });
  }, 600_000);
});

test('with HISTORY_RETENTION_DAYS=0 nothing is kept, undone or restored, not even earlier operations', async () => {
  const variables = { SESSION_SECRET: 'a secret of both services' };
  const first = await startService(variables);
  const anna = await signUp(first);
  const task = await makeTask(anna, { title: 'before' });
  const old = await anna.patch(`/api/v2/todo/${task.id}`, { title: 'after' });
  await first.close();
  service = await startService({ ...variables, HISTORY_RETENTION_DAYS: '0' }, { databaseUrl: first.databaseUrl });
  const user = service.client(anna.cookie);
  const undo = (answer: { headers: Headers }) =>
    user.post(`/api/v2/operations/${answer.headers.get('x-operation-id')}/undo`);
  const refusal = { status: 400, body: { errors: [{ path: 'operationId' }] } };
  expect(await undo(old)).toMatchObject(refusal);
  expect(await undo(await user.delete(`/api/v2/todo/${task.id}`))).toMatchObject(refusal);
  expect((await user.get('/api/v2/trash')).body).toMatchObject({ trash: [] });
  expect(await user.post('/api/v2/trash/restore', { ids: [task.id] })).toMatchObject({ status: 404 });
  const { operations } = await user.data<{ operations: { nodes: object[] } }>('{ operations { nodes { undoable } } }');
  expect(operations.nodes.length).toBeGreaterThan(1);
  expect(operations.nodes).toEqual(operations.nodes.map(() => expect.objectContaining({ undoable: false })));
  await pruneHistory(service.services.connections, 0);
  expect(await service.sql('SELECT FROM history')).toEqual([]);
  await service.close();
});
