import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type ListedTask,
  makeProject,
  makeSection,
  makeTag,
  makeTask,
  makeWorkspace,
  type RestTask,
} from '../../kit/make.ts';
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
beforeEach(() => service.sql('DELETE FROM tasks; DELETE FROM trash'));

async function list(user: User, query = ''): Promise<ListedTask[]> {
  const { status, body } = await user.get<{ todos: ListedTask[] }>(`/api/v2/todo${query}`);
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['todos']);
  return body.todos;
}

const titles = (tasks: { title: string }[]) => tasks.map(({ title }) => title);
const complete = (user: User, { id }: RestTask) => user.patch(`/api/v2/todo/${id}`, { completed: true });

describe('GET /api/v2/todo', () => {
  test('is empty for a new account', async () => {
    expect(await list(anna)).toEqual([]);
  });

  test('shows exactly the fields of the contract', async () => {
    const project = await makeProject(anna);
    const section = await makeSection(anna, project.id);
    const tag = await makeTag(anna, { color: 'blue' });
    const fields = {
      title: 'Paint the fence',
      description: 'Both sides',
      priority: 'high',
      dueDate: '2026-11-20',
      dueTime: '2026-11-20T10:00:00.000Z',
      isAllDay: false,
      color: '#ff8800',
      reminder: true,
      projectId: project.id,
    };
    const { id } = await makeTask(anna, { ...fields, tags: [tag.id], projectSectionId: section.id });
    expect(await list(anna)).toEqual([
      {
        ...fields,
        id,
        completed: false,
        completedAt: null,
        sortKey: expect.any(String),
        tags: [{ id: tag.id, name: tag.name, color: 'blue' }],
        parentId: null,
        children: [],
        projectSectionId: section.id,
      },
    ]);
  });

  test('returns null for absent fields, and for the project of an inbox task', async () => {
    await makeTask(anna, { title: 'Plain' });
    expect(await list(anna)).toEqual([
      {
        id: expect.stringMatching(/^task_/),
        title: 'Plain',
        description: null,
        priority: null,
        dueDate: null,
        dueTime: null,
        isAllDay: true,
        completed: false,
        completedAt: null,
        color: null,
        sortKey: expect.any(String),
        reminder: false,
        tags: [],
        parentId: null,
        children: [],
        projectId: null,
        projectSectionId: null,
      },
    ]);
  });

  test('lists subtasks as separate entries, each with its whole subtree', async () => {
    const top = await makeTask(anna, { title: 'top' });
    const middle = await makeTask(anna, { title: 'middle', parentId: top.id });
    await makeTask(anna, { title: 'low 1', parentId: middle.id });
    await makeTask(anna, { title: 'low 2', parentId: middle.id });
    const [first, second, ...leafTasks] = await list(anna);
    expect(first).toMatchObject({ title: 'top', children: [second] });
    expect(second).toMatchObject({ title: 'middle', parentId: top.id, children: leafTasks });
    expect(titles(leafTasks)).toEqual(['low 1', 'low 2']);
  });

  test('shows all ten levels of a tree below its top', async () => {
    let parentId: string | undefined;
    for (let level = 1; level <= 10; level += 1) {
      ({ id: parentId } = await makeTask(anna, { title: `level ${level}`, parentId }));
    }
    const path: string[] = [];
    for (let [task] = await list(anna); task; [task] = task.children) path.push(task.title);
    expect(path).toEqual(Array.from({ length: 10 }, (_, index) => `level ${index + 1}`));
  });

  test('orders by sort key bytewise, then by id, also children', async () => {
    const parent = await makeTask(anna, { title: 'parent' });
    const keys = ['b', 'a', 'B', 'a', '~', ' ', 'Zz', 'a0'];
    const createdTasks: { id: string; key: string }[] = [];
    for (const key of keys) {
      const { id } = await makeTask(anna, { parentId: parent.id });
      await anna.patch(`/api/v2/todo/${id}`, { sortKey: key });
      createdTasks.push({ id, key });
    }
    const expected = createdTasks
      .sort((a, b) => (`${a.key}\0${a.id}` < `${b.key}\0${b.id}` ? -1 : 1))
      .map(({ id }) => id);
    const all = await list(anna);
    const children = all.find(({ id }) => id === parent.id)?.children ?? [];
    expect(children.map(({ id }) => id)).toEqual(expected);
    expect(all.filter(({ parentId }) => parentId !== null).map(({ id }) => id)).toEqual(expected);
  });

  test('orders across projects by sort key as well', async () => {
    const project = await makeProject(anna);
    const [lateTask, earlyTask] = [await makeTask(anna), await makeTask(anna, { projectId: project.id })];
    await anna.patch(`/api/v2/todo/${lateTask.id}`, { sortKey: 'n' });
    await anna.patch(`/api/v2/todo/${earlyTask.id}`, { sortKey: 'm' });
    expect((await list(anna)).map(({ id }) => id)).toEqual([earlyTask.id, lateTask.id]);
  });

  test('filters by completed, but keeps all children', async () => {
    const parent = await makeTask(anna, { title: 'parent' });
    const doneTask = await makeTask(anna, { title: 'done', parentId: parent.id });
    await makeTask(anna, { title: 'open', parentId: parent.id });
    await complete(anna, doneTask);
    const open = await list(anna, '?completed=false');
    expect(titles(open)).toEqual(['parent', 'open']);
    expect(titles(open[0]?.children ?? [])).toEqual(['done', 'open']);
    expect(titles(await list(anna, '?completed=true'))).toEqual(['done']);
    expect(titles(await list(anna))).toEqual(['parent', 'done', 'open']);
  });

  test('lists the last completed task first with completed=true', async () => {
    const tasks = [await makeTask(anna), await makeTask(anna), await makeTask(anna)];
    for (const [index, task] of tasks.entries()) {
      await complete(anna, task);
      const at = new Date(Date.UTC(2026, 0, [2, 3, 1][index])).toISOString();
      await service.sql('UPDATE tasks SET completed_at = $1 WHERE id = $2', [at, task.id]);
    }
    const [second, first, third] = tasks.map(({ id }) => id);
    expect((await list(anna, '?completed=true')).map(({ id }) => id)).toEqual([first, second, third]);
  });

  test.each(['yes', 'TRUE', '1', '', 'null'])('refuses completed=%s', async (value) => {
    expect(await anna.get(`/api/v2/todo?completed=${value}`)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'completed' }] },
    });
  });

  test('filters by tags: tasks with at least one of them, each once, with all children', async () => {
    const [red, blue] = [await makeTag(anna), await makeTag(anna)];
    const parent = await makeTask(anna, { title: 'both', tags: [red.id, blue.id] });
    await makeTask(anna, { title: 'one', tags: [blue.id] });
    await makeTask(anna, { title: 'none', parentId: parent.id });
    expect(titles(await list(anna, `?tagIds=${red.id}`))).toEqual(['both']);
    const eitherTag = await list(anna, `?tagIds=${red.id},${blue.id}`);
    expect(titles(eitherTag)).toEqual(['both', 'one']);
    expect(titles(eitherTag[0]?.children ?? [])).toEqual(['none']);
    expect(eitherTag[0]?.tags).toHaveLength(2);
    expect(titles(await list(anna, `?tagIds=${blue.id}&completed=true`))).toEqual([]);
  });

  test('treats no tag id as no filter, and unknown and foreign ids match nothing', async () => {
    const [own, foreign] = [await makeTag(anna), await makeTag(ben)];
    await makeTask(anna, { title: 'tagged', tags: [own.id] });
    await makeTask(anna, { title: 'plain' });
    expect(await list(anna, '?tagIds=')).toHaveLength(2);
    expect(await list(anna, `?tagIds=${foreign.id}`)).toEqual([]);
    expect(await list(anna, '?tagIds=nonsense')).toEqual([]);
    expect(titles(await list(anna, `?tagIds=${foreign.id},nonsense,%20${own.id}%20`))).toEqual(['tagged']);
  });

  test('shows the tags of a task by name without regard to case', async () => {
    const names = ['beta', 'Alpha', 'gamma', 'Émile', 'delta'];
    const tags = await Promise.all(names.map((name) => makeTag(anna, { name })));
    await makeTask(anna, { tags: tags.map(({ id }) => id) });
    const [task] = await list(anna);
    expect(task?.tags.map(({ name }) => name)).toEqual(['Alpha', 'beta', 'delta', 'Émile', 'gamma']);
  });

  test("shows nothing of another account's", async () => {
    await makeTask(ben);
    expect(await list(anna)).toEqual([]);
  });

  test("shows tasks of the caller's workspaces with only the caller's own tags", async () => {
    const workspace = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const tag = await makeTag(anna);
    const shared = await makeTask(anna, { projectId: project.id, tags: [tag.id] });
    const own = await makeTask(ben);
    await ben.patch(`/api/v2/todo/${shared.id}`, { sortKey: 'a' });
    const bensList = await list(ben);
    expect(bensList.map(({ id }) => id)).toEqual([shared.id, own.id]);
    expect(bensList[0]).toMatchObject({ projectId: project.id, tags: [] });
    expect(await list(ben, `?tagIds=${tag.id}`)).toEqual([]);
    expect((await list(anna))[0]?.tags).toEqual([tag]);
  });

  test('responds with 304 to the ETag of an unchanged list', async () => {
    const task = await makeTask(anna);
    const first = await anna.get('/api/v2/todo');
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' };
    expect(await anna.get('/api/v2/todo', { headers })).toMatchObject({ status: 304, body: '' });
    await complete(anna, task);
    expect(await anna.get('/api/v2/todo', { headers })).toMatchObject({ status: 200 });
  });
});
