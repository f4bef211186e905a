import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ListedTask, makeProject, makeTag, makeTask } from '../../kit/make.ts';
import type { Service } from '../../kit/service.ts';
import { sharedService } from '../../kit/shared-service.ts';
import { signUp, type User } from '../../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;

beforeAll(async () => {
  service = await sharedService();
  [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
});

const list = async (user: User) => (await user.get<{ todos: ListedTask[] }>('/api/v2/todo')).body.todos;
const notFound = { status: 404, body: { code: 'NOT_FOUND', message: expect.any(String) } };

describe('every endpoint of tasks', () => {
  test.each([
    ['GET', '/api/v2/todo', undefined],
    ['GET', '/api/v2/todo?completed=maybe', undefined],
    ['POST', '/api/v2/todo', { title: 'x' }],
    ['POST', '/api/v2/todo', {}],
    ['GET', '/api/v2/todo/search?q=x', undefined],
    ['GET', '/api/v2/todo/search', undefined],
    ['PATCH', '/api/v2/todo/bulk?todoIds=x', { priority: 'high' }],
    ['PATCH', '/api/v2/todo/bulk', '{'],
    ['DELETE', '/api/v2/todo/bulk?todoIds=x', undefined],
    ['PATCH', '/api/v2/todo/task_01h2xcejqtf2nbrexx3vqjhp41', { title: 'x' }],
    ['PATCH', '/api/v2/todo/nonsense', '{'],
    ['DELETE', '/api/v2/todo/task_01h2xcejqtf2nbrexx3vqjhp41', undefined],
  ])('%s %s is 401 without a session, whatever the body', async (method, path, body) => {
    expect(await service.anonymous.send(method, path, body)).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHENTICATED', message: expect.any(String) },
    });
  });

  test.each([
    ['PUT', '/api/v2/todo'],
    ['GET', '/api/v2/todo/task_01h2xcejqtf2nbrexx3vqjhp41'],
    ['POST', '/api/v2/todo/bulk'],
    ['POST', '/api/v2/todo/search'],
  ])('%s %s is 404: the path lacks the method', async (method, path) => {
    expect(await anna.send(method, path)).toMatchObject(notFound);
  });
});

describe('DELETE /api/v2/todo/:id', () => {
  test('deletes the task with its subtasks and tags', async () => {
    const tag = await makeTag(anna);
    const top = await makeTask(anna, { tags: [tag.id] });
    const child = await makeTask(anna, { parentId: top.id });
    const grandchild = await makeTask(anna, { parentId: child.id, tags: [tag.id] });
    const otherTask = await makeTask(anna);
    const { status, body } = await anna.delete(`/api/v2/todo/${top.id}`);
    expect({ status, body }).toEqual({ status: 200, body: { msg: 'Todo deleted successfully' } });
    const remainingIds = (await list(anna)).map(({ id }) => id);
    expect(remainingIds).toContain(otherTask.id);
    for (const { id } of [top, child, grandchild]) expect(remainingIds).not.toContain(id);
    expect(await service.sql('SELECT FROM task_tags WHERE tag_id = $1', [tag.id])).toEqual([]);
    expect(await anna.delete(`/api/v2/todo/${top.id}`)).toMatchObject(notFound);
  });

  test('keeps the parent of a deleted subtask', async () => {
    const parent = await makeTask(anna);
    const child = await makeTask(anna, { parentId: parent.id });
    await anna.delete(`/api/v2/todo/${child.id}`);
    expect((await list(anna)).find(({ id }) => id === parent.id)).toMatchObject({ children: [] });
  });

  test('accepts a JSON content type without a body', async () => {
    const task = await makeTask(anna);
    const headers = { 'Content-Type': 'application/json' };
    expect(await anna.delete(`/api/v2/todo/${task.id}`, undefined, { headers })).toMatchObject({ status: 200 });
  });
});

describe('a task that does not exist or is of another account', () => {
  const ids = [
    'task_01h2xcejqtf2nbrexx3vqjhp41',
    'nonsense',
    'task_',
    "'%20OR%201=1",
    'TASK_01h2xcejqtf2nbrexx3vqjhp41',
  ];

  test.each(ids)('is 404: %s', async (id) => {
    expect(await anna.patch(`/api/v2/todo/${id}`, { title: 'x' })).toMatchObject(notFound);
    expect(await anna.delete(`/api/v2/todo/${id}`)).toMatchObject(notFound);
  });

  test('is 404 to others and stays unchanged', async () => {
    const task = await makeTask(anna);
    const project = await makeProject(ben);
    for (const body of [{}, { title: 'x' }, { tags: [] }, { projectId: null }, { projectId: project.id }]) {
      expect(await ben.patch(`/api/v2/todo/${task.id}`, body)).toMatchObject(notFound);
    }
    expect(await ben.delete(`/api/v2/todo/${task.id}`)).toMatchObject(notFound);
    expect((await list(anna)).find(({ id }) => id === task.id)).toMatchObject(task);
  });

  test('is 404 before the body is checked', async () => {
    const task = await makeTask(anna);
    const bodies = ['{', '[]', { title: '' }, { completed: 'yes' }, { tags: ['nonsense'] }, { projectId: 'nonsense' }];
    for (const body of bodies) {
      expect(await anna.patch(`/api/v2/todo/${task.id}`, body)).toMatchObject({ status: 400 });
      expect(await ben.patch(`/api/v2/todo/${task.id}`, body)).toMatchObject(notFound);
    }
  });
});
