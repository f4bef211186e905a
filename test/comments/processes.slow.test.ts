import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from '../kit/client.ts';
import { makeComment, makeProject, makeTask, makeWorkspaceOfAdmins, type RestComment } from '../kit/make.ts';
import { endServices, spawnService } from '../kit/process.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Replica, SyncStream } from '../sync/replica.ts';

let service: Service;
let anna: User;
let ben: User;
/** Ben, at the other process. */
let there: Client;
let otherUrl: string;
let taskId: string;
let workspaceId: string;
beforeAll(async () => {
  service = await startService();
  [anna, ben] = [await signUp(service), await signUp(service)];
  workspaceId = (await makeWorkspaceOfAdmins(anna, ben)).id;
  taskId = (await makeTask(anna, { projectId: (await makeProject(anna, { workspaceId })).id })).id;
  ({ url: otherUrl = '' } = await spawnService({ ...service.variables, LOG_LEVEL: 'warn' }));
  there = new Client(otherUrl, ben.cookie);
});
afterAll(async () => {
  await endServices('SIGTERM');
  await service.close();
});

const textsThere = async () => {
  const { body } = await there.get<{ comments: RestComment[] }>(`/api/v2/todo/${taskId}/comments`);
  return body.comments.map(({ text }) => text);
};
const unreadThere = async () => (await there.get<{ unread: number }>('/api/v2/notifications')).body.unread;

test('a comment, its edit and its deletion show at once at the other process, in lists, replicas and notifications', async () => {
  const replica = new Replica();
  const stream = await SyncStream.open({ url: otherUrl }, there);
  await stream.feed(replica, ({ tasks }) => tasks.length > 0);
  expect([await textsThere(), await unreadThere()]).toEqual([[], 0]);
  const { id } = await makeComment(anna, taskId, { text: `Look, @${ben.id}` });
  expect([await textsThere(), await unreadThere()]).toEqual([[`Look, @${ben.id}`], 1]);
  await stream.feed(replica, ({ comments, user }) => comments.length === 1 && user?.['unreadNotifications'] === 1);
  await anna.patch(`/api/v2/comments/${id}`, { text: 'Nothing' });
  expect([await textsThere(), await unreadThere()]).toEqual([['Nothing'], 0]);
  await stream.feed(
    replica,
    ({ comments, user }) => comments[0]?.['text'] === 'Nothing' && user?.['unreadNotifications'] === 0,
  );
  await anna.delete(`/api/v2/comments/${id}`);
  expect(await textsThere()).toEqual([]);
  await stream.feed(replica, ({ comments }) => comments.length === 0);
  stream.close();
});

test('a role that one process takes away counts for the next write at the other', async () => {
  const comment = () => there.post(`/api/v2/todo/${taskId}/comments`, { text: 'x' });
  expect(await comment()).toMatchObject({ status: 201 });
  await anna.put(`/api/v2/workspaces/${workspaceId}/members/${ben.id}`, { role: 'viewer' });
  expect(await comment()).toMatchObject({ status: 403 });
});
