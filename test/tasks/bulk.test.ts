import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../src/platform/ids.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;

beforeAll(async () => {
  service = await sharedService();
  ben = await signUp(service);
});
beforeEach(async () => {
  anna = await signUp(service);
});

describe('updateTasks', () => {
  const update = `mutation ($ids: [ID!]!, $input: BulkUpdateTasksInput!) {
    updateTasks(ids: $ids, input: $input) { count tasks { id priority project { id } children { id } } }
  }`;

  test('returns the current tasks in the order of the ids, each once', async () => {
    const project = await makeProject(anna);
    const [parent, other, foreign] = [await makeTask(anna), await makeTask(anna), await makeTask(ben)];
    const child = await makeTask(anna, { parentId: parent.id });
    const ids = [other.id, foreign.id, child.id, other.id, newId('Task'), parent.id, 'nonsense'];
    const input = { priority: 'LOW', projectId: project.id };
    const changed = { priority: 'LOW', project: { id: project.id } };
    expect(await anna.data(update, { ids, input })).toEqual({
      updateTasks: {
        count: 3,
        tasks: [
          { id: other.id, ...changed, children: [] },
          { id: child.id, ...changed, children: [] },
          { id: parent.id, ...changed, children: [{ id: child.id }] },
        ],
      },
    });
  });

  test('counts unchanged tasks, and returns 0 without tasks', async () => {
    const { id } = await makeTask(anna, { priority: 'low' });
    expect(await anna.data(update, { ids: [id], input: { priority: 'LOW' } })).toMatchObject({
      updateTasks: { count: 1, tasks: [{ id }] },
    });
    expect(await anna.data(update, { ids: [newId('Task')], input: { priority: 'LOW' } })).toEqual({
      updateTasks: { count: 0, tasks: [] },
    });
  });

  test('includes tasks of workspaces', async () => {
    const workspace = await makeWorkspace(ben, anna);
    const { id: projectId } = await makeProject(ben, { workspaceId: workspace.id });
    const [shared, own] = [await makeTask(ben, { projectId }), await makeTask(anna)];
    const answer = await anna.data(update, { ids: [shared.id, own.id], input: { priority: 'HIGH' } });
    expect(answer).toMatchObject({ updateTasks: { count: 2, tasks: [{ id: shared.id }, { id: own.id }] } });
  });
});

describe('deleteTasks', () => {
  const remove = 'mutation ($ids: [ID!]!) { deleteTasks(ids: $ids) { count deletedIds } }';

  test('counts the listed tasks, and names also their subtasks', async () => {
    const [parent, other, foreign] = [await makeTask(anna), await makeTask(anna), await makeTask(ben)];
    const child = await makeTask(anna, { parentId: parent.id });
    const grandchild = await makeTask(anna, { parentId: child.id });
    const ids = [parent.id, child.id, other.id, other.id, foreign.id, newId('Task'), 'nonsense'];
    const { deleteTasks } = await anna.data<{ deleteTasks: { count: number; deletedIds: string[] } }>(remove, { ids });
    expect(deleteTasks.count).toBe(3);
    expect(deleteTasks.deletedIds.toSorted()).toEqual([parent.id, child.id, grandchild.id, other.id].sort());
    expect(await service.sql('SELECT FROM tasks WHERE space_id = $1', [anna.id])).toEqual([]);
    expect(await service.sql('SELECT FROM tasks WHERE id = $1', [foreign.id])).toHaveLength(1);
  });

  test('returns nothing without tasks', async () => {
    const emptyResult = { deleteTasks: { count: 0, deletedIds: [] } };
    expect(await anna.data(remove, { ids: [] })).toEqual(emptyResult);
    expect(await anna.data(remove, { ids: [newId('Task')] })).toEqual(emptyResult);
  });
});
