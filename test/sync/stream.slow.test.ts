import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Socket } from '../changes/stream.ts';
import { addMember, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';
import { type Entities, listEntities, Replica, SyncStream } from './replica.ts';

let service: Service;
let anna: User;
let ben: User;
let replica: Replica;

beforeAll(async () => {
  service = await startService();
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});
afterAll(() => service.close());
beforeEach(() => {
  replica = new Replica();
});

const has =
  (...ids: string[]) =>
  (held: Entities) =>
    ids.every((id) => held.tasks.some((task) => task.id === id));

describe('a subscription', () => {
  test('begins with a first load, and continues with changes', async () => {
    const task = await makeTask(anna);
    const stream = await SyncStream.open(service, anna);
    const [first] = await stream.feed(replica, has(task.id));
    expect(first).toMatchObject({ full: true, hasMore: false });
    const next = await makeTask(anna);
    const [batch] = await stream.feed(replica, has(next.id));
    expect(batch).toMatchObject({ full: false, hasMore: false, tasks: [{ id: next.id }], projects: [], user: null });
    expect(replica.entities).toEqual(await listEntities(anna));
    stream.close();
  });

  test('resumes at a cursor of any transport, in bounded batches, then live with whole transactions', async () => {
    const project = await makeProject(anna);
    await replica.pull(anna);
    const tasks = await Promise.all(Array.from({ length: 3 }, () => makeTask(anna, { projectId: project.id })));
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
       SELECT 'task_01h455vb4pex5vsknk084s' || lpad(n::text, 4, '0'), $1, $2, 'Many', 'a' || lpad(n::text, 6, '0')
       FROM generate_series(1, 700) AS n`,
      [anna.id, project.id],
    );
    const stream = await SyncStream.open(service, anna, replica.cursor);
    const missed = await stream.feed(replica, ({ tasks }) => tasks.length >= 703);
    expect(missed.map(({ hasMore }) => hasMore)).toEqual([true, false]);
    await service.sql("UPDATE tasks SET title = 'All' WHERE project_id = $1", [project.id]);
    const [whole] = await stream.feed(replica, ({ tasks }) => tasks.some(({ title }) => title === 'All'));
    expect(whole?.tasks).toHaveLength(703);
    const { result, statements } = await recordStatements(async () => {
      await service.sql(`DO $$ BEGIN FOR n IN 1..8 LOOP
        UPDATE tasks SET title = 'Round ' || n WHERE project_id = '${project.id}'; END LOOP; END $$`);
      return stream.feed(replica, ({ tasks }) => tasks.some(({ title }) => title === 'Round 8'));
    });
    expect(result.map(({ hasMore, tasks }) => [hasMore, tasks.length])).toEqual([[false, 703]]);
    expect(statements.filter(({ name }) => name === 'syncLog')).toHaveLength(2);
    await anna.delete(`/api/v2/todo/${tasks[0]?.id}`);
    await stream.feed(replica, (held) => !has(tasks[0]?.id ?? '')(held));
    await anna.delete(`/api/v2/projects/${project.id}`);
    await stream.feed(replica, ({ projects }) => projects.every(({ id }) => id !== project.id));
    expect(replica.entities).toEqual(await listEntities(anna));
    stream.close();
  });

  test('catches up in small batches if entities are large, and delivers all', async () => {
    const clara = await signUp(service);
    // 15 KB each as UTF-8. A batch has at most 2 MiB.
    const description = 'ü'.repeat(7_500);
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, description, sort_key)
       SELECT 'task_01h455vb4pex5vsknk085s' || lpad(n::text, 4, '0'), $1, project.id, 'Long', $2, 'a' || lpad(n::text, 6, '0')
       FROM generate_series(1, 400) AS n, projects AS project WHERE project.space_id = $1`,
      [clara.id, description],
    );
    const stream = await SyncStream.open(service, clara);
    const batches = await stream.feed(replica, ({ tasks }) => tasks.length === 400);
    for (const batch of batches) expect(Buffer.byteLength(JSON.stringify(batch))).toBeLessThan(2 * 1024 * 1024);
    expect(batches.length).toBeLessThan(20);
    expect(replica.entities).toEqual(await listEntities(clara));
    stream.close();
  });

  test('sends single entities if a few exceed a batch', async () => {
    const clara = await signUp(service);
    const parents = await Promise.all(Array.from({ length: 3 }, () => makeTask(clara)));
    // 2.25 MB of subtasks below each.
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, parent_id, title, description, sort_key)
       SELECT 'task_01h455vb4pex5vsknk08' || parent.number || 's' || lpad(n::text, 4, '0'), $1, project_id, parent.id, 'Long', $3,
         'a' || lpad(n::text, 6, '0')
       FROM unnest($2::text[]) WITH ORDINALITY AS parent (id, number) JOIN tasks USING (id), generate_series(1, 150) AS n`,
      [clara.id, parents.map(({ id }) => id), 'ü'.repeat(7_500)],
    );
    const socket = await Socket.ready(service.url, clara.cookie);
    const query = 'subscription { sync { hasMore tasks { id children { description } } } }';
    socket.send({ type: 'subscribe', id: '1', payload: { query } });
    const ids: string[] = [];
    for (let hasMore = true; hasMore;) {
      const { payload } = (await socket.messages.take()) as {
        payload: { data: { sync: { hasMore: boolean; tasks: { id: string }[] } } };
      };
      ids.push(...payload.data.sync.tasks.map(({ id }) => id));
      hasMore = payload.data.sync.hasMore;
    }
    expect(ids).toEqual(expect.arrayContaining(parents.map(({ id }) => id)));
    expect(ids).toHaveLength(453);
    socket.close();
  });

  test('receives a joined and a left workspace, and its members’ names', async () => {
    await replica.pull(anna);
    const stream = await SyncStream.open(service, anna, replica.cursor);
    const workspace = await makeWorkspace(ben);
    const project = await makeProject(ben, { workspaceId: workspace.id });
    const task = await makeTask(ben, { projectId: project.id });
    await addMember(ben, workspace.id, anna);
    await stream.feed(replica, has(task.id));
    await ben.put('/api/v1/user/name', { name: 'Bruno' });
    await stream.feed(replica, ({ workspaces }) => JSON.stringify(workspaces).includes('Bruno'));
    await anna.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: workspace.id });
    await stream.feed(replica, ({ workspaces }) => workspaces.every(({ id }) => id !== workspace.id));
    expect(replica.entities).toEqual(await listEntities(anna));
    stream.close();
  });

  test('sends no changes of others, and nothing after the session has ended', async () => {
    const clara = await signUp(service);
    await replica.pull(clara);
    const stream = await SyncStream.open(service, clara, replica.cursor);
    await makeTask(anna);
    const { id } = await makeTask(clara);
    const [batch] = await stream.feed(replica, has(id));
    expect(batch?.tasks).toMatchObject([{ id }]);
    await clara.data('mutation { signOut }');
    expect(await stream.ended).toBe('4401');
  });

  test('that cannot begin reports the reason', async () => {
    const stream = await SyncStream.open(service, anna, 'x');
    expect(await stream.ended).toBe('CURSOR_EXPIRED');
    stream.close();
  });
});
