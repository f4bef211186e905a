import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { cursorOfNow, poll } from '../changes/stream.ts';
import { makeComment, makeProject, makeTask, makeWorkspace, type RestTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { operationOf } from '../history/undoing.ts';
import { edit, pageOf, refusal, remove, textsOf } from './acts.ts';

let service: Service;
let anna: User;
let ben: User;
let stranger: User;
let workspaceId: string;
let task: RestTask;

beforeAll(async () => {
  service = await sharedService();
  [anna, ben, stranger] = await Promise.all([signUp(service), signUp(service), signUp(service)]);
  workspaceId = (await makeWorkspace(anna, ben)).id;
});
beforeEach(async () => {
  const { id: projectId } = await makeProject(anna, { workspaceId });
  task = await makeTask(anna, { projectId });
});

describe('a task with comments', () => {
  const inside = async (id: string, user = anna) =>
    (await user.get<{ comments: { id: string }[] }>('/api/v2/sync?limit=5000')).body.comments.some(
      (each) => each.id === id,
    );

  test('moves to another space with them, and back by an undo', async () => {
    const comment = await makeComment(ben, task.id);
    const subtask = await makeTask(anna, { parentId: task.id });
    await makeComment(ben, subtask.id);
    const { id: projectId } = await makeProject(anna);
    const moved = await anna.patch(`/api/v2/todo/${task.id}`, { projectId });
    expect(moved.status).toBe(200);
    expect(await textsOf(anna, task.id)).toEqual([comment.text]);
    expect((await pageOf(anna, subtask.id)).comments).toMatchObject([{ author: { id: ben.id } }]);
    expect(await ben.get(`/api/v2/todo/${task.id}/comments`)).toMatchObject(refusal(404, 'NOT_FOUND'));
    expect(await edit(ben, comment.id, 'x')).toMatchObject(refusal(404, 'NOT_FOUND'));
    expect([await inside(comment.id), await inside(comment.id, ben)]).toEqual([true, false]);
    const found = `/api/v2/comments/search?q=${comment.text.slice(0, -1)}`;
    expect(await anna.get(found)).toMatchObject({ body: { comments: [{ id: comment.id }] } });
    expect(await ben.get(found)).toMatchObject({ body: { comments: [] } });
    const undone = await anna.post(`/api/v2/operations/${operationOf(moved)}/undo`);
    expect(undone).toMatchObject({ status: 200, body: { conflicts: [] } });
    expect(await textsOf(ben, task.id)).toEqual([comment.text]);
    expect(await inside(comment.id, ben)).toBe(true);
  });

  test('moves with its project or its section', async () => {
    const comment = await makeComment(ben, task.id);
    const rows = await service.sql('SELECT space_id FROM comments WHERE id = $1', [comment.id]);
    expect(rows).toEqual([{ space_id: workspaceId }]);
    const { id: inboxId } = (await anna.data<{ inbox: { id: string } }>('{ inbox { id } }')).inbox;
    const section = await anna.data<{ createSection: { id: string } }>(
      `mutation { createSection(projectId: "${task.projectId}", name: "Soon") { id } }`,
    );
    await anna.patch(`/api/v2/todo/${task.id}`, { projectSectionId: section.createSection.id });
    await anna.data(`mutation { updateSection(id: "${section.createSection.id}", projectId: "${inboxId}") { id } }`);
    expect(await service.sql('SELECT space_id FROM comments WHERE id = $1', [comment.id])).toEqual([
      { space_id: anna.id },
    ]);
  });

  test('is deleted and restored with them, by anybody', async () => {
    const comments = [await makeComment(ben, task.id), await makeComment(anna, task.id)];
    const deleted = await anna.delete(`/api/v2/todo/${task.id}`);
    expect(await inside(comments[0]?.id ?? '', ben)).toBe(false);
    const { body } = await anna.get<{ trash: { id: string; entities: number }[] }>('/api/v2/trash');
    expect(body.trash.find(({ id }) => id === task.id)).toMatchObject({ entities: 3 });
    expect(await anna.post('/api/v2/trash/restore', { ids: [task.id] })).toMatchObject({
      status: 200,
      body: { applied: 3, conflicts: [] },
    });
    expect((await pageOf(ben, task.id)).comments).toEqual(comments);
    expect(operationOf(deleted)).toMatch(/^op_/);
  });

  test('is reported as changed, and keeps its `updatedAt`', async () => {
    const updatedAt = `{ task(id: "${task.id}") { updatedAt } }`;
    const before = await anna.data(updatedAt);
    const cursor = await cursorOfNow(ben);
    const comment = await makeComment(anna, task.id);
    await edit(anna, comment.id, 'new');
    await remove(anna, comment.id);
    const changes = await poll(ben, cursor);
    expect(changes.nodes.map(({ kind, taskId, changedFields }) => [kind, taskId, changedFields])).toEqual(
      Array.from({ length: 3 }, () => ['UPDATED', task.id, ['comments']]),
    );
    expect(await anna.data(updatedAt)).toEqual(before);
  });

  test('is not in a batch again if only its comments changed', async () => {
    const { body } = await ben.get<{ cursor: string }>('/api/v2/sync?limit=5000');
    const comment = await makeComment(anna, task.id);
    const after = await ben.get(`/api/v2/sync?after=${body.cursor}`);
    expect(after.body).toMatchObject({ tasks: [], comments: [comment], hasMore: false });
  });
});

describe('search', () => {
  const found = async (user: User, q: string) =>
    (
      await user.get<{ comments: { id: string }[] }>(`/api/v2/comments/search?q=${encodeURIComponent(q)}`)
    ).body.comments.map(({ id }) => id);

  test('finds comments by words and beginnings of words, newest first, and only where the caller sees them', async () => {
    const word = `quince${task.id.slice(-8)}`;
    const [first, second] = [
      await makeComment(ben, task.id, { text: `A ${word}jelly recipe` }),
      await makeComment(anna, task.id, { text: `Größe: ${word.toUpperCase()}` }),
    ];
    expect(await found(anna, word)).toEqual([second.id, first.id]);
    expect(await found(anna, `rec ${word}`)).toEqual([first.id]);
    expect(await found(anna, `grosse ${word}`)).toEqual([second.id]);
    expect(await found(anna, word.slice(1))).toEqual([]);
    expect(await found(stranger, word)).toEqual([]);
    const { body } = await anna.get<{ todos: object[] }>(`/api/v2/todo/search?q=${word}`);
    expect(body.todos).toEqual([]);
    await edit(anna, second.id, 'pear');
    expect(await found(anna, word)).toEqual([first.id]);
    await anna.patch(`/api/v2/todo/${task.id}`, { projectId: (await makeProject(anna)).id });
    expect([await found(anna, word), await found(ben, word)]).toEqual([[first.id], []]);
  });

  test.each([' ', '', 'x'.repeat(501)])('refuses the query "%s"', async (q) => {
    expect(await anna.get(`/api/v2/comments/search?q=${q}`)).toMatchObject(refusal(400, 'VALIDATION_FAILED', 'q'));
  });

  test.each(["' | 1:*", '!& ()', "\\' :*", '🦊', 'x'.repeat(500)])('is not confused by %s', async (q) => {
    expect(await anna.get(`/api/v2/comments/search?q=${encodeURIComponent(q)}`)).toMatchObject({ status: 200 });
  });
});
