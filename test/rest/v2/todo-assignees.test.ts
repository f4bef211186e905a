import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/platform/ids.ts';
import { type ListedTask, makeProject, makeTask, makeWorkspace } from '../../kit/make.ts';
import type { Service } from '../../kit/service.ts';
import { sharedService } from '../../kit/shared-service.ts';
import { signUp, type User } from '../../kit/users.ts';

let service: Service;
let [anna, ben, cleo]: [User, User, User] = [] as never;
let projectId: string;
let taskId: string;

beforeAll(async () => {
  service = await sharedService();
  [anna, ben, cleo] = await Promise.all([signUp(service), signUp(service), signUp(service)]);
  projectId = (await makeProject(anna, { workspaceId: (await makeWorkspace(anna, ben)).id })).id;
});
beforeEach(async () => {
  taskId = (await makeTask(anna, { projectId })).id;
});

const path = (userId?: string, id = taskId) =>
  `/api/v2/todo/${id}/assignees${userId === undefined ? '' : `/${userId}`}`;
const member = ({ id, email }: User) => ({ id, name: null, email, image: null });

describe('the assignees of a task', () => {
  test('are assigned and removed one by one, and a repetition has the same response', async () => {
    const two = { status: 200, body: { assignees: [member(ben), member(anna)] } };
    await anna.put(path(ben.id));
    expect(await anna.put(path(anna.id))).toMatchObject(two);
    expect(await anna.put(path(ben.id))).toMatchObject(two);
    expect(await ben.get(path())).toMatchObject(two);
    const one = { status: 200, body: { assignees: [member(anna)] } };
    expect(await anna.delete(path(ben.id))).toMatchObject(one);
    expect(await anna.delete(path(ben.id))).toMatchObject(one);
    expect((await anna.get<object>(path())).body).toEqual(one.body);
  });

  test('are members only, whether the id is known or not', async () => {
    for (const id of [cleo.id, newId('User'), 'nonsense']) {
      expect(await anna.put(path(id))).toMatchObject({ status: 400, body: { errors: [{ path: 'userId' }] } });
      expect(await anna.delete(path(id))).toMatchObject({ status: 200, body: { assignees: [] } });
    }
  });

  test('are nobody of a task out of sight', async () => {
    const answers = [await cleo.get(path()), await cleo.put(path(cleo.id)), await cleo.delete(path(cleo.id))];
    for (const answer of answers) expect(answer).toMatchObject({ status: 404 });
  });
});

describe('GET /api/v2/todo/assigned', () => {
  const assigned = async (user: User, query = '') =>
    (await user.get<{ todos: ListedTask[] }>(`/api/v2/todo/assigned${query}`)).body.todos;

  test('lists the tasks of the caller, or of a fellow member, in the shape of the list', async () => {
    await makeTask(anna, { projectId, parentId: taskId });
    await anna.put(path(ben.id));
    const done = await makeTask(ben);
    await ben.put(path(ben.id, done.id));
    await ben.patch(`/api/v2/todo/${done.id}`, { completed: true });
    const listed = (await anna.get<{ todos: ListedTask[] }>('/api/v2/todo')).body.todos;
    const task: Partial<ListedTask> = { ...listed.find(({ id }) => id === taskId) };
    delete task.children;
    const shown = { ...task, assigneeIds: [ben.id], createdById: anna.id };
    expect(await assigned(ben, '?completed=false')).toEqual([shown]);
    expect(await assigned(anna, `?userId=${ben.id}`)).toEqual([shown]);
    expect(await assigned(ben, '?completed=true')).toMatchObject([{ id: done.id }]);
    expect(await assigned(ben)).toHaveLength(2);
    for (const nobody of [cleo.id, newId('User'), 'nonsense']) {
      expect(await assigned(ben, `?userId=${nobody}`)).toEqual([]);
    }
  });

  test('streams what is too large for memory', async () => {
    const dora = await signUp(service);
    await makeTask(dora, { parentId: (await makeTask(dora)).id });
    const text = 'x'.repeat(16_000);
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key, description, assignee_ids)
       SELECT 'task_' || n, $1, (SELECT id FROM projects WHERE space_id = $1), n, 'b' || n, $2, ARRAY[$1]
       FROM generate_series(1, 300) AS n`,
      [dora.id, text],
    );
    const todos = await assigned(dora);
    expect(todos).toHaveLength(300);
    expect(todos.at(-1)).toMatchObject({ description: text, assigneeIds: [dora.id] });
    expect(await assigned(cleo)).toEqual([]);
  });
});
