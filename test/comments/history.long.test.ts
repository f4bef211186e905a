import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { operationOf, undo } from '../history/undoing.ts';
import {
  addMember,
  makeComment,
  makeProject,
  makeTask,
  makeWorkspace,
  type RestComment,
  type RestTask,
} from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { tablesWith } from '../kit/tables.ts';
import type { Role } from '../../src/platform/roles.ts';
import { signUp, type User } from '../kit/users.ts';
import { edit, remove, textsOf } from './acts.ts';

let service: Service;
let admin: User;
let author: User;
let other: User;
let workspaceId: string;
let task: RestTask;
/** A word that no other row has. */
let word: string;
let comment: RestComment;

beforeAll(async () => {
  service = await sharedService();
  [admin, author, other] = await Promise.all([signUp(service), signUp(service), signUp(service)]);
  workspaceId = (await makeWorkspace(admin, author, other)).id;
});
beforeEach(async () => {
  const { id: projectId } = await makeProject(admin, { workspaceId });
  task = await makeTask(admin, { projectId });
  word = `secret${task.id.slice(-10)}`;
  comment = await makeComment(author, task.id, { text: `The password is ${word}` });
});

const restore = async (user: User, ...ids: string[]) => (await user.post('/api/v2/trash/restore', { ids })).body;
const everything = async (user: User) =>
  JSON.stringify(
    await user.data(`{
      operations(first: 20) { nodes { summary changes { nodes { type id kind fields { name before after } } } } }
      trash(first: 100) { nodes { id title entities } }
      search(query: "${word}") { comments { text } tasks { title } }
      sync(first: 5000) { comments { text } }
    }`),
  ) + JSON.stringify((await user.get('/api/v2/export')).body);

const conflict = { applied: 0, conflicts: [{ type: 'comment', reason: expect.any(String) }] };
const done = { applied: 1, conflicts: [] };

describe('a deleted comment', () => {
  let deletion: string;
  beforeEach(async () => {
    deletion = operationOf(await remove(author, comment.id));
  });

  test('is seen by its author and administrators, and by nobody else', async () => {
    for (const user of [author, admin]) expect(await everything(user)).toContain(word);
    const seen = await everything(other);
    expect(seen).not.toContain(word);
    expect(seen).toContain('"summary":"Deleted 1 comment"');
    expect(seen).toContain(`{"type":"COMMENT","id":"${comment.id}","kind":"DELETED","fields":[]}`);
  });

  test('comes back by its author and administrators', async () => {
    expect(await restore(other, comment.id)).toMatchObject(conflict);
    expect(await undo(other, deletion)).toMatchObject(conflict);
    expect(await textsOf(other, task.id)).toEqual([]);
    expect(await undo(author, deletion)).toMatchObject(done);
    expect(await textsOf(other, task.id)).toEqual([comment.text]);
    await remove(author, comment.id);
    expect(await restore(admin, comment.id)).toMatchObject(done);
    expect(await textsOf(other, task.id)).toEqual([comment.text]);
  });

  test('that an administrator brought back goes again by an undo of that', async () => {
    const { operationId } = await undo(admin, deletion);
    expect(await undo(other, operationId ?? '')).toMatchObject(conflict);
    expect(await undo(admin, operationId ?? '')).toMatchObject(done);
    expect(await textsOf(other, task.id)).toEqual([]);
    expect(await restore(author, comment.id)).toMatchObject(done);
  });

  test('is emptied by its author and administrators, from every table', async () => {
    const empty = (user: User) =>
      user
        .data<{ emptyTrash: number }>(`mutation { emptyTrash(ids: ["${comment.id}"]) }`)
        .then((data) => data.emptyTrash);
    expect(await empty(other)).toBe(0);
    expect(await tablesWith(service, word)).toEqual(['history']);
    expect(await empty(admin)).toBe(1);
    expect(await tablesWith(service, word)).toEqual([]);
    expect(await restore(author, comment.id)).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('is erased from responses that were stored under keys, which are not repeated then', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const secret = `${word}-secret`;
    const create = () =>
      author.post<{ comment: { id: string } }>(`/api/v2/todo/${task.id}/comments`, { text: secret }, { headers });
    const { id } = (await create()).body.comment;
    const edit = { headers: { 'Idempotency-Key': randomUUID() } };
    await author.patch(`/api/v2/comments/${id}`, { text: `${secret} edited` }, edit);
    await author.delete(`/api/v2/comments/${id}`);
    expect(await tablesWith(service, secret)).toEqual(['history', 'idempotency_keys']);
    await author.data(`mutation { emptyTrash(ids: ["${id}"]) }`);
    expect(await tablesWith(service, secret)).toEqual([]);
    expect(await create()).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  test('is in no response of others that a key has stored', async () => {
    const headers = { 'Idempotency-Key': randomUUID(), 'x-graphql-yoga-csrf': '1' };
    const query = `mutation { muteTask(id: "${task.id}", muted: true) { ...Thread } } fragment Thread on Task { said: comments { nodes { text } } }`;
    const kept = await makeComment(author, task.id, { text: `${word}-kept` });
    expect((await other.post('/graphql', { query }, { headers })).body).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'query' }] } }],
    });
    await author.delete(`/api/v2/comments/${kept.id}`);
    await author.data(`mutation { emptyTrash(ids: ["${kept.id}"]) }`);
    expect(await tablesWith(service, kept.text)).toEqual([]);
  });

  test('comes back with its task only if it was deleted with it', async () => {
    const kept = await makeComment(author, task.id, { text: `kept ${word}` });
    await other.delete(`/api/v2/todo/${task.id}`);
    expect(await restore(other, task.id)).toMatchObject({ applied: 2, conflicts: [] });
    expect(await textsOf(other, task.id)).toEqual([kept.text]);
  });

  test('does not come back without its task', async () => {
    await admin.delete(`/api/v2/todo/${task.id}`);
    expect(await restore(author, comment.id)).toMatchObject(conflict);
  });

  test.each<[string, Role | undefined]>([
    ['of others', undefined],
    ['that the author may only read', 'VIEWER'],
  ])('does not come back into a space %s, to which its task moved', async (_name, role) => {
    const space = await makeWorkspace(admin);
    if (role) await addMember(admin, space.id, author, role);
    const { id: projectId } = await makeProject(admin, { workspaceId: space.id });
    const readable = await makeTask(admin, { projectId });
    await admin.delete(`/api/v2/todo/${readable.id}`);
    await admin.patch(`/api/v2/todo/${task.id}`, { projectId });
    expect(await undo(author, deletion)).toMatchObject(conflict);
    // The other entry locks the space.
    expect(await restore(author, comment.id, ...(role ? [readable.id] : []))).toMatchObject({ applied: 0 });
    expect(await textsOf(admin, task.id)).toEqual([]);
  });
});

describe('a comment deleted by an administrator', () => {
  test('comes back by its author', async () => {
    expect((await remove(admin, comment.id)).status).toBe(200);
    expect(await remove(other, comment.id)).toMatchObject({ status: 404 });
    expect(await restore(author, comment.id)).toMatchObject(done);
  });

  test('is not deleted by other members', async () => {
    expect(await remove(other, comment.id)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await textsOf(other, task.id)).toEqual([comment.text]);
  });
});

describe('an edited comment', () => {
  test('has former texts for its author and administrators only, who see them in the history', async () => {
    const edited = await edit(author, comment.id, 'harmless');
    for (const user of [author, admin]) expect(await everything(user)).toContain(word);
    const seen = await everything(other);
    expect(seen).not.toContain(word);
    expect(seen).toContain('"summary":"Changed 1 comment"');
    for (const user of [admin, other]) expect(await undo(user, operationOf(edited))).toMatchObject(conflict);
    expect(await undo(author, operationOf(edited))).toMatchObject(done);
    expect(await textsOf(other, task.id)).toEqual([comment.text]);
    const { body } = await author.get<{ comments: RestComment[] }>(`/api/v2/todo/${task.id}/comments`);
    expect(body.comments).toEqual([comment]);
  });

  test('is created by an operation that only its author can undo', async () => {
    const created = await author.post<{ comment: RestComment }>(`/api/v2/todo/${task.id}/comments`, { text: 'x' });
    for (const user of [admin, other]) expect(await undo(user, operationOf(created))).toMatchObject(conflict);
    expect(await undo(author, operationOf(created))).toMatchObject(done);
    expect(await textsOf(other, task.id)).toEqual([comment.text]);
  });
});

test('a comment comes back with its task as often as any member undoes and repeats the deletion', async () => {
  let operation = operationOf(await other.delete(`/api/v2/todo/${task.id}`));
  for (const expected of [[`The password is ${word}`], [], [`The password is ${word}`]]) {
    const { operationId, conflicts } = await undo(other, operation);
    expect(conflicts).toEqual([]);
    if (expected.length > 0) expect(await textsOf(author, task.id)).toEqual(expected);
    operation = operationId ?? '';
  }
});

test('the creation of a task with comments is not undone', async () => {
  const created = await admin.post<{ todo: RestTask }>('/api/v2/todo', { title: 'x', projectId: task.projectId });
  await makeComment(author, created.body.todo.id);
  expect(await undo(admin, operationOf(created))).toMatchObject({
    applied: 0,
    conflicts: [{ type: 'task', id: created.body.todo.id }],
  });
});

describe('the deletion of the account of an author', () => {
  const deleteAccount = (user: User) => user.delete('/api/v1/user', { password: user.password });

  test('keeps the texts without their author, in replicas too, and erases former and deleted texts', async () => {
    const leaver = await signUp(service);
    await addMember(admin, workspaceId, leaver);
    const kept = await makeComment(leaver, task.id, { text: 'first' });
    await edit(leaver, kept.id, `edited ${word}1`);
    await edit(leaver, kept.id, 'last');
    const gone = await makeComment(leaver, task.id, { text: `gone ${word}2` });
    await remove(leaver, gone.id);
    const { id: deletedTask } = await makeTask(admin, { projectId: task.projectId });
    await makeComment(leaver, deletedTask, { text: `with its task ${word}3` });
    await admin.delete(`/api/v2/todo/${deletedTask}`);
    const { id: movedTask } = await makeTask(admin, { projectId: task.projectId });
    const moved = await makeComment(leaver, movedTask, { text: 'moved' });
    await admin.patch(`/api/v2/todo/${movedTask}`, { projectId: (await makeProject(admin)).id });
    await leaver.data(`mutation { leaveWorkspace(id: "${workspaceId}") }`);
    expect(
      (await other.get<{ comments: RestComment[] }>(`/api/v2/todo/${task.id}/comments`)).body.comments,
    ).toMatchObject([{ id: comment.id }, { author: { id: leaver.id } }]);
    const { body } = await admin.get<{ cursor: string }>('/api/v2/sync?limit=5000');
    const undoable = await admin.data<{ operations: { nodes: { id: string }[] } }>('{ operations { nodes { id } } }');
    expect(await deleteAccount(leaver)).toMatchObject({ status: 200 });
    const batch = (await admin.get<{ comments: object[] }>(`/api/v2/sync?after=${body.cursor}`)).body;
    const anonymous = [kept, moved].map(({ id }) => ({ id, author: null }));
    expect(batch.comments).toHaveLength(2);
    expect(batch.comments).toEqual(expect.arrayContaining(anonymous.map((each) => expect.objectContaining(each))));
    expect(await textsOf(other, task.id)).toEqual([comment.text, 'last']);
    // The planner empties its queue later.
    expect((await tablesWith(service, leaver.id)).filter((name) => name !== 'planning_queue')).toEqual([]);
    for (const text of ['1', '2', '3']) expect(await tablesWith(service, `${word}${text}`)).toEqual([]);
    expect(await restore(admin, gone.id)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await restore(admin, deletedTask)).toMatchObject(done);
    for (const { id } of undoable.operations.nodes)
      expect((await admin.post(`/api/v2/operations/${id}/undo`)).status).not.toBe(500);
    expect(await textsOf(other, task.id)).toEqual([comment.text, 'last']);
  });
});
