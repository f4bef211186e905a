import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newKey, withKey } from '../idempotency/keyed.ts';
import { makeProject, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { clean, operationOf, undo } from './undoing.ts';

let service: Service;
let [anna, ben]: [User, User] = [] as never;
let tag: string;
beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = [await signUp(service), await signUp(service)];
});
beforeEach(async () => {
  tag = (await makeTag(anna)).id;
});

const deleteTag = async () => operationOf(await anna.delete(`/api/v2/tag/bulk?tagIds=${tag}`));
const tagsOf = async (id: string) =>
  (await anna.get<{ todo: { tags: { id: string }[] } }>(`/api/v2/todo/${id}`)).body.todo.tags.map((each) => each.id);
const lacking = (id: string) => ({ type: 'task', id, field: 'tags', reason: 'a tag of it is gone' });

describe('tags that are gone', () => {
  test('are a conflict of the tasks that return without them', async () => {
    const project = await makeProject(anna);
    const other = await makeTag(anna);
    const { id } = await makeTask(anna, { projectId: project.id, tags: [tag, other.id] });
    await makeTask(anna, { projectId: project.id, tags: [other.id] });
    const deletion = operationOf(await anna.delete(`/api/v2/projects/${project.id}`));
    await deleteTag();
    expect(await undo(anna, deletion)).toMatchObject({ applied: 3, conflicts: [lacking(id)] });
    expect(await tagsOf(id)).toEqual([other.id]);
  });

  test('are a conflict of the task whose tags were changed', async () => {
    const { id } = await makeTask(anna, { tags: [tag] });
    const change = operationOf(await anna.patch(`/api/v2/todo/${id}`, { tags: [] }));
    await deleteTag();
    expect(await undo(anna, change)).toEqual({ applied: 0, operationId: null, conflicts: [lacking(id)] });
  });

  test('are no conflict for others, nor if they return with the task', async () => {
    const { id: workspaceId } = await makeWorkspace(anna, ben);
    const shared = await makeProject(anna, { workspaceId });
    const { id } = await makeTask(anna, { projectId: shared.id, tags: [tag] });
    const deletion = operationOf(await anna.delete(`/api/v2/todo/${id}`));
    const untagging = await deleteTag();
    expect(await undo(ben, deletion)).toMatchObject({ applied: 1, ...clean });
    expect(await undo(anna, untagging)).toMatchObject({ applied: 1, ...clean });
    await anna.patch(`/api/v2/todo/${id}`, { tags: [tag] });
    const query = `mutation { task: deleteTask(id: "${id}") tag: deleteTags(ids: ["${tag}"]) { deletedIds } }`;
    const both = operationOf(await anna.post('/graphql', { query }, withKey(newKey())));
    expect(await undo(anna, both)).toMatchObject({ applied: 2, ...clean });
    expect(await tagsOf(id)).toEqual([tag]);
  });
});
