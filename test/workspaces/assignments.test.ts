import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let [anna, ben]: [User, User] = [] as never;
let cleo: User;
/** Workspaces of all three, with a task of Cleo and Ben in each. */
let workspaces: { id: string; taskId: string }[];

beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});
beforeEach(async () => {
  cleo = await signUp(service);
  workspaces = [];
  for (let count = 0; count < 3; count += 1) {
    const { id } = await makeWorkspace(anna, ben, cleo);
    const project = await makeProject(anna, { workspaceId: id });
    const task = await makeTask(cleo, { projectId: project.id });
    await service.sql('UPDATE tasks SET assignee_ids = $2 WHERE id = $1', [task.id, [cleo.id, ben.id]]);
    workspaces.push({ id, taskId: task.id });
  }
});

const assigneesOf = async (id: string) => {
  const [task] = await service.sql<{ ids: string[] }>('SELECT to_jsonb(assignee_ids) AS ids FROM tasks WHERE id = $1', [
    id,
  ]);
  return task?.ids;
};

interface Batch {
  cursor: string;
  tasks: { id: string; assigneeIds: string[]; createdById: string | null }[];
}
const sync = async (user: User, after?: string) =>
  (await user.get<Batch>(`/api/v2/sync${after === undefined ? '' : `?after=${after}`}`)).body;

const ends: [string, (id: string) => Promise<unknown>][] = [
  ['leaving', (id) => cleo.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id })],
  ['removal', (id) => anna.delete(`/api/v2/workspaces/${id}/members/${cleo.id}`)],
  ['SQL', (id) => service.sql('DELETE FROM memberships WHERE space_id = $1 AND user_id = $2', [id, cleo.id])],
];

describe('the end of a membership', () => {
  test.each(ends)('by %s ends its assignments in that workspace only, also in replicas', async (_name, end) => {
    const [first, ...others] = workspaces as [{ id: string; taskId: string }];
    const { cursor } = await sync(anna);
    await end(first.id);
    expect(await assigneesOf(first.taskId)).toEqual([ben.id]);
    for (const { taskId } of others) expect(await assigneesOf(taskId)).toEqual([cleo.id, ben.id]);
    const { tasks } = await sync(anna, cursor);
    expect(tasks).toMatchObject([{ id: first.taskId, assigneeIds: [ben.id], createdById: cleo.id }]);
  });

  test('is one operation, which says that the members changed', async () => {
    const [first] = workspaces;
    await anna.delete(`/api/v2/workspaces/${first?.id}/members/${cleo.id}`);
    const { operations } = await anna.data<{ operations: { nodes: object[] } }>(
      '{ operations(first: 1) { nodes { summary } } }',
    );
    expect(operations.nodes).toEqual([{ summary: 'Changed the members of a workspace' }]);
  });

  test('of several members at once ends all their assignments', async () => {
    const [first] = workspaces;
    await service.sql('DELETE FROM memberships WHERE space_id = $1 AND user_id = ANY ($2)', [
      first?.id,
      [ben.id, cleo.id],
    ]);
    expect(await assigneesOf(first?.taskId ?? '')).toEqual([]);
  });

  test('by the deletion of the account ends all, and nobody knows the creator any more', async () => {
    const [left] = workspaces;
    await cleo.data('mutation ($id: ID!) { leaveWorkspace(id: $id) }', { id: left?.id });
    const { cursor } = await sync(anna);
    const answer = await cleo.graphql('mutation ($password: String) { deleteAccount(password: $password) }', {
      password: cleo.password,
    });
    expect(answer.errors).toBeUndefined();
    const { tasks } = await sync(anna, cursor);
    expect(tasks).toHaveLength(3);
    for (const task of tasks) expect(task).toMatchObject({ assigneeIds: [ben.id], createdById: null });
    const named = await service.sql('SELECT FROM operations WHERE actor_id = $1', [cleo.id]);
    expect(named).toEqual([]);
    const history = await service.sql('SELECT FROM history WHERE images[1] LIKE \'{"created_by_id"%\'');
    expect(history).toEqual([]);
  });
});

test('the deletion of a workspace deletes its tasks, whoever is assigned', async () => {
  const { id } = await makeWorkspace(anna);
  const project = await makeProject(anna, { workspaceId: id });
  const task = await makeTask(anna, { projectId: project.id });
  await service.sql('UPDATE tasks SET assignee_ids = $2 WHERE id = $1', [task.id, [anna.id]]);
  await anna.data('mutation ($id: ID!) { deleteWorkspace(id: $id) }', { id });
  expect(await assigneesOf(task.id)).toBeUndefined();
});
