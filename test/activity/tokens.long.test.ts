import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { EventStream } from '../changes/sse.ts';
import { cursorOfNow } from '../changes/stream.ts';
import { makeComment, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { entriesOf, unreadOf } from './notify.ts';

let service: Service;
let anna: User;
let ben: User;
let spaceIds: string[];
let taskIds: string[];
beforeAll(async () => {
  service = await sharedService();
});
/** Ben has an unread mention in each of two workspaces. */
beforeEach(async () => {
  [anna, ben] = [await signUp(service), await signUp(service)];
  [spaceIds, taskIds] = [[], []];
  for (let count = 0; count < 2; count += 1) {
    const { id: workspaceId } = await makeWorkspace(anna, ben);
    const { id } = await makeTask(anna, { projectId: (await makeProject(anna, { workspaceId })).id });
    await makeComment(anna, id, { text: `Look, @${ben.id}` });
    spaceIds.push(workspaceId);
    taskIds.push(id);
  }
});

const batchOf = (client: Pick<User, 'data'>) =>
  client
    .data<{ sync: { comments: { taskId: string }[]; user: { unreadNotifications: number } } }>(
      '{ sync { comments { taskId } user { unreadNotifications } } }',
    )
    .then(({ sync }) => sync);

describe('a token for one of two workspaces', () => {
  test('counts, lists and syncs only there', async () => {
    const program = await makeProgram(service, ben, { scopes: ['READ'], spaceIds: spaceIds.slice(0, 1) });
    expect([await unreadOf(ben), await unreadOf(program)]).toEqual([2, 1]);
    expect((await entriesOf(program)).map(({ task }) => task.id)).toEqual(taskIds.slice(0, 1));
    expect(await program.get('/api/v2/notifications')).toMatchObject({ body: { unread: 1, notifications: [{}] } });
    expect(await batchOf(program)).toEqual({
      comments: [{ taskId: taskIds[0] }],
      user: { unreadNotifications: 1 },
    });
  });

  test('marks, mutes, comments and assigns only there', async () => {
    const program = await makeProgram(service, ben, { spaceIds: spaceIds.slice(0, 1) });
    const [, outside = ''] = taskIds;
    const missing = { status: 404 };
    expect(await program.put(`/api/v2/todo/${outside}/muted`, { muted: true })).toMatchObject(missing);
    expect(await program.post(`/api/v2/todo/${outside}/comments`, { text: 'x' })).toMatchObject(missing);
    expect(await program.put(`/api/v2/todo/${outside}/assignees/${ben.id}`)).toMatchObject(missing);
    expect(await program.post('/api/v2/notifications/read', { taskIds: [outside] })).toMatchObject({
      body: { readCount: 0 },
    });
    expect(await program.post('/api/v2/notifications/read', {})).toMatchObject({ body: { readCount: 1 } });
    expect((await entriesOf(ben, '(unread: true)')).map(({ task }) => task.id)).toEqual([outside]);
  });

  test('of the scope READ marks, mutes and comments nowhere', async () => {
    const program = await makeProgram(service, ben, { scopes: ['READ'] });
    for (const answer of [
      await program.post('/api/v2/notifications/read', {}),
      await program.put(`/api/v2/todo/${taskIds[0]}/muted`, { muted: true }),
      await program.post(`/api/v2/todo/${taskIds[0]}/comments`, { text: 'x' }),
      await program.put(`/api/v2/todo/${taskIds[0]}/assignees/${ben.id}`),
    ])
      expect(answer).toMatchObject({ status: 403 });
    expect(await unreadOf(ben)).toBe(2);
  });

  test('hears of comments there, and of no others', async () => {
    const program = await makeProgram(service, ben, { scopes: ['READ'], spaceIds: spaceIds.slice(0, 1) });
    const headers = { Authorization: `Bearer ${program.token}` };
    const path = `/api/v2/events?after=${await cursorOfNow(program)}`;
    const stream = await EventStream.open(service, { cookie: '' }, path, headers);
    await makeComment(anna, taskIds[1] ?? '');
    await makeComment(anna, taskIds[0] ?? '');
    const { data = '' } = await stream.take();
    expect(JSON.parse(data)).toMatchObject({ taskId: taskIds[0], changedFields: ['comments'] });
    stream.close();
  });
});

test('ids of other kinds name no task, comment, member or cursor', async () => {
  const { id: commentId } = await makeComment(ben, taskIds[0] ?? '');
  const ids = [ben.id, spaceIds[0] ?? '', commentId, 'x', ''];
  const [taskId = ''] = taskIds;
  for (const id of ids) {
    const path = encodeURIComponent(id) || '%20';
    for (const answer of [
      await ben.get(`/api/v2/todo/${path}/comments`),
      await ben.post(`/api/v2/todo/${path}/comments`, { text: 'x' }),
      await ben.put(`/api/v2/todo/${path}/muted`, { muted: true }),
      await ben.get(`/api/v2/todo/${path}/assignees`),
    ])
      expect(answer).toMatchObject({ status: 404 });
    expect(await ben.post('/api/v2/notifications/read', { taskIds: [id] })).toMatchObject({ body: { readCount: 0 } });
    expect(await ben.get(`/api/v2/notifications?after=${path}`)).toMatchObject({ status: 400 });
  }
  for (const id of [taskId, ben.id, spaceIds[0]]) {
    expect(await ben.patch(`/api/v2/comments/${id}`, { text: 'x' })).toMatchObject({ status: 404 });
    expect(await ben.delete(`/api/v2/comments/${id}`)).toMatchObject({ status: 404 });
  }
  for (const id of [taskId, spaceIds[0], commentId])
    expect(await ben.put(`/api/v2/todo/${taskId}/assignees/${id}`)).toMatchObject({ status: 400 });
});
