import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client } from '../kit/client.ts';
import { openLockHolder } from '../kit/locks.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { entriesOf, unreadOf } from './notify.ts';

let service: Service;
let anna: User;
let ben: User;
let workspaceId: string;
let projectId: string;
beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  [anna, ben] = [await signUp(service), await signUp(service)];
  workspaceId = (await makeWorkspace(anna, ben)).id;
  projectId = (await makeProject(anna, { workspaceId })).id;
});

const makeShared = (fields = {}) => makeTask(anna, { projectId, ...fields });
const create = async (by: Client, input: object) =>
  (
    await by.data<{ createTask: { id: string } }>(
      'mutation ($input: CreateTaskInput!) { createTask(input: $input) { id } }',
      { input: { title: 'Prune', projectId, ...input } },
    )
  ).createTask.id;
const update = (by: Client, id: string, input: object) =>
  by.data('mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { id } }', { id, input });
const updateMany = (by: Client, ids: string[], input: object) =>
  by.data(
    'mutation ($ids: [ID!]!, $input: BulkUpdateTasksInput!) { updateTasks(ids: $ids, input: $input) { count } }',
    {
      ids,
      input,
    },
  );
const eventsOf = async (user: User) => {
  const rows = await service.sql<{ task: string; reason: string; actor: string }>(
    'SELECT task_id AS task, reason, actor_id AS actor FROM notification_events WHERE user_id = $1 ORDER BY id',
    [user.id],
  );
  return rows.map(({ task, reason, actor }) => [task, reason, actor]);
};

const ways: Record<string, (by: Client) => Promise<string>> = {
  createTask: (by) => create(by, { assigneeIds: [ben.id] }),
  async 'updateTask, all'(by) {
    const { id } = await makeShared();
    await update(by, id, { assigneeIds: [ben.id], title: 'Other' });
    return id;
  },
  async 'updateTask, in addition'(by) {
    const { id } = await makeShared();
    await update(by, id, { addAssigneeIds: [ben.id] });
    return id;
  },
  async 'updateTask with a move'(by) {
    const { id } = await makeTask(anna);
    await update(by, id, { addAssigneeIds: [ben.id], projectId });
    return id;
  },
  async updateTasks(by) {
    const { id } = await makeShared();
    await updateMany(by, [id, 'nonsense'], { addAssigneeIds: [ben.id] });
    return id;
  },
};

describe('an assignment', () => {
  test.each(Object.entries(ways))('by %s notifies the member once, and never its actor', async (_name, assign) => {
    const id = await assign(anna);
    expect(await eventsOf(ben)).toEqual([[id, 'ASSIGNED', anna.id]]);
    expect(await entriesOf(ben)).toMatchObject([{ task: { id }, reasons: ['ASSIGNED'], actor: { id: anna.id } }]);
    await update(anna, id, { addAssigneeIds: [ben.id, anna.id] });
    await update(anna, id, { assigneeIds: [anna.id, ben.id] });
    await updateMany(anna, [id], { addAssigneeIds: [ben.id] });
    expect([await eventsOf(ben), await eventsOf(anna)]).toEqual([[[id, 'ASSIGNED', anna.id]], []]);
  });

  test('by a program has the same effect, and notifies its user of nothing', async () => {
    const program = await makeProgram(service, anna, { spaceIds: [workspaceId] });
    const id = await create(program, { assigneeIds: [ben.id, anna.id] });
    expect([await eventsOf(ben), await eventsOf(anna)]).toEqual([[[id, 'ASSIGNED', anna.id]], []]);
  });

  test('that is repeated under its key makes no second event', async () => {
    const { id } = await makeShared();
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const body = {
      query: `mutation { updateTask(id: "${id}", input: { addAssigneeIds: ["${ben.id}"] }) { id } createTask(input: { title: "x", projectId: "${projectId}", assigneeIds: ["${ben.id}"] }) { id } }`,
    };
    const send = async () => (await anna.post('/graphql', body, { headers })).body;
    const first = (await send()) as { data: object };
    expect(await send()).toMatchObject({ data: first.data });
    expect(await eventsOf(ben)).toHaveLength(2);
  });

  test('that is refused notifies nobody', async () => {
    const [{ id }, stranger] = [await makeShared(), await signUp(service)];
    await anna.graphql(
      `mutation { updateTask(id: "${id}", input: { addAssigneeIds: ["${ben.id}", "${stranger.id}"] }) { id } }`,
    );
    expect([await eventsOf(ben), await eventsOf(stranger)]).toEqual([[], []]);
  });

  test('is withdrawn while it is unread: by a removal, an undo, and the end of the membership', async () => {
    const withdrawals = [
      (id: string) => update(anna, id, { removeAssigneeIds: [ben.id] }),
      (id: string) => update(anna, id, { assigneeIds: [] }),
      (id: string) => updateMany(anna, [id], { assigneeIds: null }),
      (id: string) => service.sql(`UPDATE tasks SET assignee_ids = '{}' WHERE id = $1`, [id]),
      () => anna.delete(`/api/v2/workspaces/${workspaceId}/members/${ben.id}`),
    ];
    for (const withdraw of withdrawals) {
      const id = await create(anna, { assigneeIds: [ben.id] });
      expect(await eventsOf(ben)).toHaveLength(1);
      await withdraw(id);
      expect(await eventsOf(ben)).toEqual([]);
    }
  });

  test('is withdrawn by an undo, whose own undo notifies nobody', async () => {
    const { id } = await makeShared();
    const { headers } = await anna.post('/graphql', {
      query: `mutation { updateTask(id: "${id}", input: { addAssigneeIds: ["${ben.id}"] }) { id } }`,
    });
    expect(await unreadOf(ben)).toBe(1);
    const undone = await anna.post<{ operationId: string }>(`/api/v2/operations/${headers.get('x-operation-id')}/undo`);
    expect([undone.status, await eventsOf(ben)]).toEqual([200, []]);
    await anna.post(`/api/v2/operations/${undone.body.operationId}/undo`);
    expect(await anna.data(`{ task(id: "${id}") { assigneeIds } }`)).toEqual({ task: { assigneeIds: [ben.id] } });
    expect(await eventsOf(ben)).toEqual([]);
  });

  test('that was read stays when it ends', async () => {
    const id = await create(anna, { assigneeIds: [ben.id] });
    await ben.data('mutation { readNotifications }');
    await update(anna, id, { assigneeIds: [] });
    expect(await eventsOf(ben)).toHaveLength(1);
  });

  test('raises the revision of its user once, however many tasks a statement takes', async () => {
    for (let count = 0; count < 3; count += 1) await create(anna, { assigneeIds: [ben.id] });
    const writer = await openLockHolder(service);
    await writer.sql(`UPDATE tasks SET assignee_ids = '{}' WHERE project_id = $1`, [projectId]);
    const raised = await writer.sql(
      `SELECT pg_stat_get_xact_tuples_updated('related_revisions'::regclass)::int AS count`,
    );
    await writer.release();
    expect(raised).toMatchObject({ rows: [{ count: 1 }] });
    expect(await unreadOf(ben)).toBe(0);
  });
});

describe('no event', () => {
  test('for a restored task, a moved one, the next occurrence, and copies of subtasks', async () => {
    const id = await create(anna, { assigneeIds: [ben.id], dueDate: '2030-01-01', recurrence: { rule: 'FREQ=DAILY' } });
    await create(anna, { parentId: id, projectId, assigneeIds: [ben.id] });
    await ben.data('mutation { readNotifications }');
    await update(anna, id, { completed: true });
    const { tasks } = await ben.data<{ tasks: { nodes: object[] } }>(
      `{ tasks(filter: { assigneeId: "${ben.id}", completed: false }) { nodes { id } } }`,
    );
    expect(tasks.nodes).toHaveLength(2);
    const { id: otherId } = await makeProject(anna, { workspaceId });
    await update(anna, id, { projectId: otherId });
    await anna.delete(`/api/v2/todo/${id}`);
    await anna.post('/api/v2/trash/restore', { ids: [id] });
    expect(await anna.data(`{ task(id: "${id}") { assigneeIds } }`)).toEqual({ task: { assigneeIds: [ben.id] } });
    expect(await unreadOf(ben)).toBe(0);
  });
});
