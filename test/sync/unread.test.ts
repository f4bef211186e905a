import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { addMember, makeComment, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Replica } from './replica.ts';

let service: Service;
let anna: User;
let ben: User;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});

test('the number of unread tasks follows tasks and memberships that come and go', async () => {
  const { id: workspaceId } = await makeWorkspace(anna, ben);
  const shared = await makeProject(anna, { workspaceId });
  const own = await makeProject(anna);
  const { id } = await makeTask(anna, { projectId: shared.id });
  await makeComment(anna, id, { text: `@${ben.id}` });
  const replica = new Replica();
  const unread = async () => {
    await replica.pull(ben);
    const { viewer } = await ben.data<{ viewer: { unreadNotifications: number } }>(
      '{ viewer { unreadNotifications } }',
    );
    return [replica.entities.user?.['unreadNotifications'], viewer.unreadNotifications];
  };
  expect(await unread()).toEqual([1, 1]);
  await anna.patch(`/api/v2/todo/${id}`, { projectId: own.id });
  expect(await unread()).toEqual([0, 0]);
  await anna.patch(`/api/v2/todo/${id}`, { projectId: shared.id });
  expect(await unread()).toEqual([1, 1]);
  await anna.data(
    'mutation ($id: ID!, $userId: ID!) { removeWorkspaceMember(workspaceId: $id, userId: $userId) { id } }',
    {
      ...{ id: workspaceId, userId: ben.id },
    },
  );
  expect(await unread()).toEqual([0, 0]);
  await addMember(anna, workspaceId, ben);
  expect(await unread()).toEqual([1, 1]);
});
