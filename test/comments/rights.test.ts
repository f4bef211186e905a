import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addMember, makeComment, makeProject, makeTask, makeWorkspace, type RestTask } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { textsOf } from './acts.ts';

let service: Service;
let admin: User;
let commenter: User;
let viewer: User;
let workspaceId: string;
let task: RestTask;

beforeAll(async () => {
  service = await sharedService();
  [admin, commenter, viewer] = await Promise.all([signUp(service), signUp(service), signUp(service)]);
  workspaceId = (await makeWorkspace(admin)).id;
  await addMember(admin, workspaceId, commenter, 'COMMENTER');
  await addMember(admin, workspaceId, viewer, 'VIEWER');
});
beforeEach(async () => {
  task = await makeTask(admin, { projectId: (await makeProject(admin, { workspaceId })).id });
});

const forbidden = { status: 403, body: { code: 'FORBIDDEN' } };

test('a COMMENTER writes, edits and deletes comments', async () => {
  const { id } = await makeComment(commenter, task.id);
  expect(await commenter.patch(`/api/v2/comments/${id}`, { text: 'new' })).toMatchObject({ status: 200 });
  expect(await textsOf(viewer, task.id)).toEqual(['new']);
  expect(await commenter.delete(`/api/v2/comments/${id}`)).toMatchObject({ status: 200 });
});

test.each(['new', ''])('the text "%s" of another COMMENTER is FORBIDDEN', async (text) => {
  const { id } = await makeComment(admin, task.id);
  const mutation = 'mutation ($id: ID!, $text: String!) { updateComment(id: $id, text: $text) { id } }';
  expect((await commenter.graphql(mutation, { id, text })).errors).toMatchObject([
    { extensions: { code: 'FORBIDDEN' } },
  ]);
  expect(await commenter.patch(`/api/v2/comments/${id}`, { text })).toMatchObject(forbidden);
});

describe('a VIEWER', () => {
  test('reads comments, and writes none', async () => {
    const comment = await makeComment(admin, task.id);
    expect(await viewer.post(`/api/v2/todo/${task.id}/comments`, { text: 'x' })).toMatchObject(forbidden);
    expect(await viewer.patch(`/api/v2/comments/${comment.id}`, { text: 'x' })).toMatchObject(forbidden);
    expect(await viewer.delete(`/api/v2/comments/${comment.id}`)).toMatchObject(forbidden);
    expect(await textsOf(viewer, task.id)).toEqual([comment.text]);
  });

  test('who was a COMMENTER changes no own comments', async () => {
    const demoted = await signUp(service);
    await addMember(admin, workspaceId, demoted, 'COMMENTER');
    const comment = await makeComment(demoted, task.id);
    await service.sql("UPDATE memberships SET role = 'VIEWER' WHERE user_id = $1 AND space_id = $2", [
      demoted.id,
      workspaceId,
    ]);
    expect(await demoted.patch(`/api/v2/comments/${comment.id}`, { text: 'x' })).toMatchObject(forbidden);
    expect(await demoted.delete(`/api/v2/comments/${comment.id}`)).toMatchObject(forbidden);
    expect(await textsOf(viewer, task.id)).toEqual([comment.text]);
  });
});

describe('an access token', () => {
  const create = { query: 'mutation ($id: ID!) { createComment(taskId: $id, text: "by a token") { id } }' };

  test('of the scope WRITE comments for its user', async () => {
    const program = await makeProgram(service, commenter, { scopes: ['WRITE'], spaceIds: [workspaceId] });
    await program.data(create.query, { id: task.id });
    expect(await textsOf(viewer, task.id)).toEqual(['by a token']);
  });

  test('of the scope READ, or of another space, does not', async () => {
    const reading = await makeProgram(service, commenter, { scopes: ['READ'] });
    expect(await reading.graphql(create.query, { id: task.id })).toMatchObject({
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
    const elsewhere = await makeProgram(service, commenter, { scopes: ['WRITE'], spaceIds: [commenter.id] });
    expect(await elsewhere.graphql(create.query, { id: task.id })).toMatchObject({
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
    expect(await textsOf(viewer, task.id)).toEqual([]);
  });
});
