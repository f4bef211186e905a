import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pruneMutes } from '../../src/activity/data.ts';
import { newId } from '../../src/platform/ids.ts';
import { encodeOpaque } from '../../src/platform/opaque.ts';
import { openLockHolder, untilWaiting } from '../kit/locks.ts';
import { addMember, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { entriesOf, notify, unreadOf } from './notify.ts';

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

const makeShared = () => makeTask(anna, { projectId });
const read = async (user: User, args = '') =>
  (await user.data<{ readNotifications: number }>(`mutation { readNotifications${args} }`)).readNotifications;

describe('notifications', () => {
  test('show one entry for a task, with the reasons of its unread events and the newest event', async () => {
    const task = await makeShared();
    await notify(service, ben, task, { reason: 'COMMENTED', actorId: anna.id, count: 40 });
    await notify(service, ben, task, { reason: 'MENTIONED', actorId: anna.id });
    const at = await notify(service, ben, task, { reason: 'ASSIGNED', actorId: anna.id });
    const entry = { task: { id: task.id }, at, actor: { id: anna.id, name: null } };
    expect(await entriesOf(ben)).toEqual([{ ...entry, reasons: ['MENTIONED', 'ASSIGNED', 'COMMENTED'], unread: 42 }]);
    expect(await unreadOf(ben)).toBe(1);
    expect(await read(ben)).toBe(1);
    expect(await entriesOf(ben)).toEqual([{ ...entry, reasons: ['ASSIGNED'], unread: 0 }]);
    expect([await unreadOf(ben), await entriesOf(ben, '(unread: true)')]).toEqual([0, []]);
    await notify(service, ben, task, { reason: 'COMMENTED' });
    expect(await entriesOf(ben, '(unread: true)')).toMatchObject([{ reasons: ['COMMENTED'], unread: 1, actor: null }]);
    expect(await entriesOf(anna)).toEqual([]);
  });

  test('come newest first, in pages that never overlap', async () => {
    const tasks: { id: string }[] = [];
    for (let count = 0; count < 5; count += 1) tasks.push(await makeShared());
    for (const task of tasks) await notify(service, ben, task, { count: 2 });
    await notify(service, ben, tasks[1] ?? { id: '' });
    const inOrder = [1, 4, 3, 2, 0].map((index) => tasks[index]?.id);
    expect((await entriesOf(ben)).map(({ task }) => task.id)).toEqual(inOrder);
    const query = `query ($after: String, $unread: Boolean) {
      notifications(first: 2, after: $after, unread: $unread) { edges { cursor node { task { id } } } pageInfo { hasNextPage endCursor } }
    }`;
    interface Page {
      notifications: {
        edges: { cursor: string; node: { task: { id: string } } }[];
        pageInfo: { hasNextPage: boolean; endCursor: string };
      };
    }
    for (const unread of [true, false]) {
      const seen: string[] = [];
      let after: string | null = null;
      for (let isMore = true; isMore;) {
        const { notifications }: Page = await ben.data<Page>(query, { after, unread });
        seen.push(...notifications.edges.map(({ node }) => node.task.id));
        ({ endCursor: after, hasNextPage: isMore } = notifications.pageInfo);
      }
      expect(seen).toEqual(inOrder);
    }
    const bad = { errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] };
    const nowhere = ['0000-01-01T00:00:00Z', `2026-01-01T00:00:00.${'0'.repeat(3000)}Z`].map((at) =>
      encodeOpaque([at, '1']),
    );
    for (const args of [
      '(first: 501)',
      '(first: -1)',
      ...['nonsense', ...nowhere].map((after) => `(after: "${after}")`),
    ])
      expect(await ben.graphql(`{ notifications${args} { nodes { unread } } }`)).toMatchObject(bad);
    expect(await entriesOf(ben, '(first: 0)')).toEqual([]);
  });

  test('are hidden while the task is out of sight, and return with it', async () => {
    const task = await makeShared();
    await notify(service, ben, task);
    const [{ id: hidden }] = [await makeProject(anna)];
    await anna.patch(`/api/v2/todo/${task.id}`, { projectId: hidden });
    expect([await entriesOf(ben), await unreadOf(ben), await read(ben)]).toEqual([[], 0, 0]);
    await anna.patch(`/api/v2/todo/${task.id}`, { projectId });
    expect(await unreadOf(ben)).toBe(1);
    await anna.delete(`/api/v2/workspaces/${workspaceId}/members/${ben.id}`);
    expect([await entriesOf(ben), await unreadOf(ben)]).toEqual([[], 0]);
    await addMember(anna, workspaceId, ben);
    expect(await entriesOf(ben)).toHaveLength(1);
  });

  test('are removed with the task, its project or its workspace, and do not return with a restored task', async () => {
    const [task, other] = [await makeShared(), await makeShared()];
    await notify(service, ben, task);
    await notify(service, ben, other);
    await anna.delete(`/api/v2/todo/${task.id}`);
    expect(await unreadOf(ben)).toBe(1);
    await anna.post('/api/v2/trash/restore', { ids: [task.id] });
    expect(await unreadOf(ben)).toBe(1);
    await anna.delete(`/api/v2/projects/${projectId}`);
    expect(await entriesOf(ben)).toEqual([]);
    expect(await service.sql('SELECT FROM notification_events WHERE user_id = $1', [ben.id])).toEqual([]);
  });

  test('are UNAVAILABLE if a task is deleted while they are read, and then go without it', async () => {
    const { id } = await makeShared();
    await notify(service, ben, { id });
    // The task is read after its events, and with its tags.
    const writer = await openLockHolder(service);
    await writer.sql('LOCK TABLE task_tags IN ACCESS EXCLUSIVE MODE');
    const reading = ben.graphql('{ notifications { nodes { task { tags { id } } } } }');
    await untilWaiting(service, 1);
    await writer.sql('DELETE FROM tasks WHERE id = $1', [id]);
    await writer.release();
    expect((await reading).errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE', retryAfter: 1 } }]);
    expect(await entriesOf(ben)).toEqual([]);
  });

  test('of a token cover its spaces alone', async () => {
    const [shared, own] = [await makeShared(), await makeTask(ben)];
    await notify(service, ben, shared);
    await notify(service, ben, own);
    const [reader, program] = [
      await makeProgram(service, ben, { scopes: ['READ'] }),
      await makeProgram(service, ben, { spaceIds: [workspaceId] }),
    ];
    expect([await unreadOf(reader), await unreadOf(program)]).toEqual([2, 1]);
    expect((await entriesOf(program)).map(({ task }) => task.id)).toEqual([shared.id]);
    expect(await program.get('/api/v2/notifications')).toMatchObject({ body: { unread: 1 } });
    const forbidden = { errors: [{ extensions: { code: 'FORBIDDEN' } }] };
    expect(await reader.graphql('mutation { readNotifications }')).toMatchObject(forbidden);
    expect(await program.data('mutation { readNotifications }')).toEqual({ readNotifications: 1 });
    expect([await unreadOf(program), await unreadOf(ben)]).toEqual([0, 1]);
    await notify(service, ben, shared);
    expect(await program.get('/api/v2/notifications')).toMatchObject({ body: { unread: 1 } });
  });
});

describe('readNotifications', () => {
  test('marks the events of some tasks, up to and including a moment, and counts their tasks', async () => {
    const [one, other] = [await makeShared(), await makeShared()];
    const until = await notify(service, ben, one, { count: 2 });
    await service.sql(`UPDATE notification_events SET created_at = created_at - interval '1 s' WHERE user_id = $1`, [
      ben.id,
    ]);
    const early = new Date(Date.parse(until) - 1000).toISOString();
    await notify(service, ben, one);
    await notify(service, ben, other);
    expect(await read(ben, `(taskIds: [], until: "${early}")`)).toBe(0);
    expect(await read(ben, `(taskIds: ["nonsense", "${newId('Task')}"])`)).toBe(0);
    expect(await read(ben, `(until: "${early}")`)).toBe(1);
    expect(await entriesOf(ben)).toMatchObject([{ unread: 1 }, { unread: 1 }]);
    expect(await read(ben, `(until: "${early}")`)).toBe(0);
    expect(await read(ben, `(taskIds: ["${one.id}", "${one.id}"])`)).toBe(1);
    expect(await entriesOf(ben, '(unread: true)')).toMatchObject([{ task: { id: other.id } }]);
    expect(await read(anna)).toBe(0);
    expect([await read(ben), await read(ben)]).toEqual([1, 0]);
  });

  test('is no operation', async () => {
    const task = await makeShared();
    await notify(service, ben, task);
    const { headers } = await ben.post('/api/v2/notifications/read', {});
    expect(headers.get('x-operation-id')).toBeNull();
  });
});

describe('muteTask', () => {
  const isMuted = async (user: User, { id }: { id: string }) =>
    (await user.data<{ task: { muted: boolean } }>(`{ task(id: "${id}") { muted } }`)).task.muted;

  test('lasts beyond a deletion and its undo, until the trash forgets the task', async () => {
    const [task, gone] = [await makeShared(), await makeShared()];
    for (const { id } of [task, gone]) await ben.put(`/api/v2/todo/${id}/muted`, { muted: true });
    await anna.delete(`/api/v2/todo/${gone.id}`);
    const { headers } = await anna.delete(`/api/v2/todo/${task.id}`);
    await service.sql('DELETE FROM trash WHERE entity_id = $1', [gone.id]);
    await pruneMutes(service.services.connections);
    await anna.post(`/api/v2/operations/${headers.get('x-operation-id')}/undo`);
    expect([await isMuted(ben, task), await isMuted(anna, task)]).toEqual([true, false]);
    expect(await service.sql('SELECT task_id AS id FROM task_mutes WHERE user_id = $1', [ben.id])).toEqual([
      { id: task.id },
    ]);
  });

  test("changes the caller's own setting, without an operation", async () => {
    const task = await makeShared();
    const muted = (user: User) => isMuted(user, task);
    const { headers, status, body } = await ben.put(`/api/v2/todo/${task.id}/muted`, { muted: true });
    expect([status, body, headers.get('x-operation-id')]).toEqual([200, { muted: true }, null]);
    await ben.put(`/api/v2/todo/${task.id}/muted`, { muted: true });
    expect([await muted(ben), await muted(anna)]).toEqual([true, false]);
    expect(await ben.put(`/api/v2/todo/${task.id}/muted`, { muted: false })).toMatchObject({ body: { muted: false } });
    expect(await muted(ben)).toBe(false);
  });

  test('refuses tasks out of sight and bad values', async () => {
    const task = await makeTask(anna);
    for (const id of [task.id, newId('Task'), 'nonsense', ben.id])
      expect(await ben.put(`/api/v2/todo/${id}/muted`, { muted: true })).toMatchObject({ status: 404 });
    expect(await anna.put(`/api/v2/todo/${task.id}/muted`, { muted: 'yes' })).toMatchObject({ status: 400 });
  });
});

describe('REST', () => {
  test('shows notifications in lower case, with tasks as in the search', async () => {
    const task = await makeShared();
    const at = await notify(service, ben, task, { reason: 'MENTIONED', actorId: anna.id });
    const { body } = await ben.get<{ notifications: object[] }>('/api/v2/notifications?unread=true&first=1');
    const found = await ben.get<{ todos: { id: string }[] }>(`/api/v2/todo/search?q=${encodeURIComponent(task.title)}`);
    expect(body).toEqual({
      notifications: [
        {
          task: found.body.todos.find(({ id }) => id === task.id),
          reasons: ['mentioned'],
          unread: 1,
          at,
          actor: { id: anna.id, name: null, email: anna.email, image: null },
          comment: null,
        },
      ],
      unread: 1,
      cursor: expect.any(String),
      hasMore: false,
    });
    expect(await ben.get('/api/v2/notifications?unread=maybe')).toMatchObject({ status: 400 });
    expect(await ben.post('/api/v2/notifications/read', { taskIds: [task.id], until: at })).toMatchObject({
      status: 200,
      body: { readCount: 1 },
    });
    expect(await ben.get('/api/v2/notifications?unread=true')).toMatchObject({
      body: { notifications: [], unread: 0 },
    });
  });

  test('reads and changes `activityMails`, which the contract does not have', async () => {
    const path = '/api/v1/user/user-preferences';
    expect(await ben.patch(path, { activityMails: 'direct' })).toMatchObject({ body: { activityMails: 'direct' } });
    expect(await ben.patch(path, { activityMails: 'DIRECT' })).toMatchObject({ status: 400 });
    expect(await ben.data('{ viewer { preferences { activityMails } } }')).toEqual({
      viewer: { preferences: { activityMails: 'DIRECT' } },
    });
    expect(Object.keys((await ben.get(path)).body as object)).not.toContain('activityMails');
    expect(await ben.get('/api/v2/export')).toMatchObject({ body: { preferences: { activityMails: 'direct' } } });
  });
});
