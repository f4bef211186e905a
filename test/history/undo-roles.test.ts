import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeComment, makeProject, makeTask, makeWorkspaceOfAdmins, type RestTask } from '../kit/make.ts';
import type { Role } from '../../src/platform/roles.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;
/** In two workspaces. Ben reads the second one. */
let tasks: [RestTask, RestTask];
let spaceIds: string[];
beforeAll(async () => {
  service = await sharedService();
});
beforeEach(async () => {
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
  const make = async () => {
    const { id: workspaceId } = await makeWorkspaceOfAdmins(anna, ben);
    const { id: projectId } = await makeProject(ben, { workspaceId });
    return { workspaceId, task: await makeTask(ben, { projectId }) };
  };
  const [one, other] = [await make(), await make()];
  tasks = [one.task, other.task];
  spaceIds = [one.workspaceId, other.workspaceId];
});

const setRole = (role: Role, ...ids: (string | undefined)[]) =>
  service.sql(`UPDATE memberships SET role = $3::"WorkspaceRole" WHERE user_id = $1 AND space_id = ANY ($2)`, [
    ben.id,
    ids,
    role,
  ]);
const demote = (...ids: (string | undefined)[]) => setRole('VIEWER', ...ids);
const reason = 'This needs the role EDITOR in the workspace';
const forbidden = { errors: [{ message: reason, extensions: { code: 'FORBIDDEN' } }] };
const idsOf = () => tasks.map(({ id }) => id);
const bulk = () => `/api/v2/todo/bulk?todoIds=${idsOf().join()}`;
const result = 'applied conflicts { type id reason }';
const conflict = () => ({ type: 'TASK', id: tasks[1].id, reason });

test('an undo leaves entities unchanged for which the present role does not suffice', async () => {
  const { headers } = await ben.patch(bulk(), { priority: 'high' });
  const undo = `mutation { undo(operationId: "${headers.get('x-operation-id')}") { ${result} } }`;
  await demote(...spaceIds);
  expect(await ben.graphql(undo)).toMatchObject(forbidden);
  await setRole('EDITOR', spaceIds[0]);
  expect(await ben.graphql(undo)).toMatchObject({ data: { undo: { applied: 1, conflicts: [conflict()] } } });
  const { nodes } = await anna.data<{ nodes: { priority: string | null }[] }>(
    'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Task { priority } } }',
    { ids: idsOf() },
  );
  expect(nodes).toEqual([{ priority: null }, { priority: 'HIGH' }]);
});

test('a restore and an emptying leave the other entries in the trash', async () => {
  await ben.delete(bulk());
  const ids = JSON.stringify(idsOf());
  await demote(spaceIds[1]);
  const restored = await ben.graphql(`mutation { restore(ids: ${ids}) { ${result} } }`);
  expect(restored).toMatchObject({ data: { restore: { applied: 1, conflicts: [conflict()] } } });
  await ben.delete(`/api/v2/todo/${tasks[0].id}`);
  expect(await ben.graphql(`mutation { emptyTrash(ids: ${ids}) }`)).toMatchObject({ data: { emptyTrash: 1 } });
  expect(await anna.graphql('{ trash { nodes { id } } }')).toMatchObject({
    data: { trash: { nodes: [{ id: tasks[1].id }] } },
  });
  for (const act of [
    `restore(ids: ["${tasks[1].id}"]) { ${result} }`,
    `emptyTrash(ids: ["${tasks[1].id}"])`,
    'emptyTrash',
  ]) {
    expect(await ben.graphql(`mutation { ${act} }`)).toMatchObject(forbidden);
  }
});

describe('a COMMENTER', () => {
  const trashOf = async (user: User) => {
    const { trash } = await user.data<{ trash: { nodes: { id: string }[] } }>('{ trash { nodes { id } } }');
    return trash.nodes.map(({ id }) => id).sort();
  };
  let comments: { own: string; other: string };
  let taskId: string;
  beforeEach(async () => {
    const [kept, deleted] = tasks;
    const [own, other] = [await makeComment(ben, kept.id), await makeComment(anna, kept.id)];
    comments = { own: own.id, other: other.id };
    taskId = deleted.id;
    for (const id of Object.values(comments)) await ben.delete(`/api/v2/comments/${id}`);
    await ben.delete(`/api/v2/todo/${taskId}`);
    await setRole('COMMENTER', ...spaceIds);
  });
  const empty = (ids?: string[]) =>
    ben.graphql('mutation ($ids: [ID!]) { emptyTrash(ids: $ids) }', ids === undefined ? {} : { ids });

  test.each([
    ['ids', () => [comments.own, comments.other, taskId]],
    ['no ids', () => undefined],
  ])('empties their own comments from the trash, by %s, and nothing else', async (_label, ids) => {
    expect(await empty(ids())).toEqual({ data: { emptyTrash: 1 } });
    expect(await trashOf(anna)).toEqual(expect.arrayContaining([comments.other, taskId]));
    expect(await trashOf(anna)).not.toContain(comments.own);
    expect(await trashOf(ben)).toEqual([taskId]);
    expect(await empty()).toMatchObject(forbidden);
  });

  test('as a VIEWER empties nothing', async () => {
    await demote(...spaceIds);
    const before = await trashOf(anna);
    for (const ids of [undefined, [comments.own], [comments.own, taskId], [taskId]])
      expect(await empty(ids)).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    expect(await empty([comments.own])).toMatchObject({ errors: [{ message: reason.replace('EDITOR', 'COMMENTER') }] });
    expect(await trashOf(anna)).toEqual(before);
  });
});
