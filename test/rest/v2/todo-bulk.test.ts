import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ListedTask, makeProject, makeSection, makeTag, makeTask, type RestTask } from '../../kit/make.ts';
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

const problem = (path: string) => ({ status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path }] } });
const url = (ids: string[]) => `/api/v2/todo/bulk?todoIds=${ids.join(',')}`;
const update = (ids: string[], body: unknown, user = anna) => user.patch<{ todos: number }>(url(ids), body);
const remove = (ids: string[], user = anna) => user.delete<{ deletedCount: number }>(url(ids));

const list = async (user = anna) => (await user.get<{ todos: ListedTask[] }>('/api/v2/todo')).body.todos;
const findListed = async (id: string) => (await list()).find((task) => task.id === id);

const maxIds = 1000;

async function makeThousand(): Promise<string[]> {
  const project = await makeProject(anna);
  const rows = await service.sql<{ id: string }>(
    `INSERT INTO tasks (id, space_id, project_id, parent_id, title, sort_key)
     SELECT format('task_0%s%s', right($2, 19), lpad(n::text, 6, '0')), $1, $2,
       CASE WHEN n % 2 = 0 THEN format('task_0%s%s', right($2, 19), lpad((n - 1)::text, 6, '0')) END, n, lpad(n::text, 6, '0')
     FROM generate_series(1, $3::int) AS n RETURNING id`,
    [anna.id, project.id, maxIds],
  );
  return rows.map(({ id }) => id);
}

describe('PATCH /api/v2/todo/bulk', () => {
  test.each([
    { priority: 'high' },
    { priority: null },
    { dueDate: '2027-01-01' },
    { dueDate: null },
    { dueTime: '2027-01-01T00:00:00.000Z' },
    { isAllDay: false },
    { reminder: true },
  ])('gives every task %j and nothing else', async (change) => {
    const fields = { isAllDay: false, priority: 'low', dueDate: '2026-11-20', dueTime: '2026-11-20T10:00:00.000Z' };
    const tasks = [await makeTask(anna, fields), await makeTask(anna, fields)];
    const other = await makeTask(anna, fields);
    const { status, body } = await update(
      tasks.map(({ id }) => id),
      change,
    );
    expect({ status, body }).toEqual({ status: 200, body: { todos: 2 } });
    for (const task of tasks) expect(await findListed(task.id)).toMatchObject({ ...task, ...change });
    expect(await findListed(other.id)).toMatchObject(other);
  });

  test('completes and reopens', async () => {
    const [open, done] = [await makeTask(anna), await makeTask(anna)];
    await anna.patch(`/api/v2/todo/${done.id}`, { completed: true });
    await service.sql("UPDATE tasks SET completed_at = '2026-01-02T03:04:05.678Z' WHERE id = $1", [done.id]);
    expect((await update([open.id, done.id], { completed: true })).body).toEqual({ todos: 2 });
    expect(await findListed(open.id)).toMatchObject({ completed: true, completedAt: expect.any(String) });
    expect(await findListed(done.id)).toMatchObject({ completed: true, completedAt: '2026-01-02T03:04:05.678Z' });
    await update([open.id, done.id], { completed: false });
    for (const task of [open, done]) expect(await findListed(task.id)).toMatchObject(task);
  });

  test('replaces the tags of every task', async () => {
    const [red, blue] = [await makeTag(anna, { name: 'bulk a' }), await makeTag(anna, { name: 'bulk b' })];
    const ids = [(await makeTask(anna, { tags: [red.id] })).id, (await makeTask(anna)).id];
    expect((await update(ids, { tags: [red.id, blue.id] })).body).toEqual({ todos: 2 });
    for (const id of ids) expect((await findListed(id))?.tags).toEqual([red, blue]);
    expect((await update(ids, { tags: [] })).body).toEqual({ todos: 2 });
    for (const id of ids) expect((await findListed(id))?.tags).toEqual([]);
  });

  test('moves tasks of several projects into a section, with their subtasks', async () => {
    const [project, other] = [await makeProject(anna), await makeProject(anna)];
    const section = await makeSection(anna, project.id);
    const [parent, elsewhere] = [await makeTask(anna), await makeTask(anna, { projectId: other.id })];
    const child = await makeTask(anna, { parentId: parent.id });
    const place = { projectId: project.id, projectSectionId: section.id };
    expect((await update([parent.id, elsewhere.id], place)).body).toEqual({ todos: 2 });
    for (const task of [parent, child, elsewhere])
      expect(await findListed(task.id)).toMatchObject({ ...task, ...place });
    expect((await update([parent.id, elsewhere.id], { projectId: null })).body).toEqual({ todos: 2 });
    expect(await findListed(child.id)).toMatchObject(child);
  });

  test('moves a subtask only together with its parent', async () => {
    const project = await makeProject(anna);
    const parent = await makeTask(anna);
    const child = await makeTask(anna, { parentId: parent.id });
    expect(await update([child.id], { projectId: project.id })).toMatchObject(problem('projectId'));
    expect((await update([child.id, parent.id], { projectId: project.id })).body).toEqual({ todos: 2 });
    expect(await findListed(child.id)).toMatchObject({ projectId: project.id, parentId: parent.id });
  });

  test('removes tasks of several projects from their sections, but puts them in none', async () => {
    const places = [];
    for (const project of [await makeProject(anna), await makeProject(anna)]) {
      const section = await makeSection(anna, project.id);
      places.push({ projectId: project.id, projectSectionId: section.id });
    }
    const tasks = [await makeTask(anna, places[0]), await makeTask(anna, places[1])];
    const ids = tasks.map(({ id }) => id);
    const { projectSectionId } = places[0] ?? {};
    expect(await update(ids, { projectSectionId })).toMatchObject(problem('projectSectionId'));
    expect((await update(ids, { projectSectionId: null })).body).toEqual({ todos: 2 });
    for (const task of tasks) expect(await findListed(task.id)).toMatchObject({ ...task, projectSectionId: null });
  });

  test('counts duplicates once, and skips unknown, malformed and foreign ids', async () => {
    const [own, foreign] = [await makeTask(anna), await makeTask(ben)];
    const ids = [own.id, own.id, foreign.id, 'task_01h2xcejqtf2nbrexx3vqjhp41', 'nonsense', '%20', ` ${own.id}`];
    expect((await update(ids, { priority: 'high' })).body).toEqual({ todos: 1 });
    expect((await list(ben)).find(({ id }) => id === foreign.id)).toMatchObject(foreign);
    expect((await update([foreign.id, 'nonsense'], { reminder: true })).body).toEqual({ todos: 0 });
  });

  test('counts tasks that already have the values', async () => {
    const task = await makeTask(anna, { priority: 'low' });
    expect((await update([task.id], { priority: 'low' })).body).toEqual({ todos: 1 });
  });

  test('changes a thousand tasks named in the query string', async () => {
    const ids = await makeThousand();
    const tag = await makeTag(anna);
    expect(await update(ids, { completed: true, tags: [tag.id] })).toMatchObject({
      status: 200,
      body: { todos: 1000 },
    });
    const { body } = await anna.get<{ todos: RestTask[] }>(`/api/v2/todo?completed=true&tagIds=${tag.id}`);
    expect(body.todos).toHaveLength(maxIds);
    const project = await makeProject(anna);
    expect((await update(ids, { projectId: project.id })).body).toEqual({ todos: maxIds });
    expect(await remove(ids)).toMatchObject({ status: 200, body: { deletedCount: maxIds } });
    expect(await service.sql('SELECT FROM tasks WHERE project_id = $1', [project.id])).toEqual([]);
  });

  test('without a field is refused', async () => {
    const task = await makeTask(anna);
    expect(await update([task.id], {})).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(await update([task.id], { unknown: 1 })).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });

  test.each([
    ['title', 'x'],
    ['title', null],
    ['description', 'x'],
    ['color', '#fff'],
    ['sortKey', 'a'],
  ])('refuses %s %j, also next to a valid field', async (name, value) => {
    const task = await makeTask(anna);
    const errors = expect.arrayContaining([expect.objectContaining({ path: name })]);
    for (const beside of [{}, { priority: 'high' }]) {
      expect(await update([task.id], { [name]: value, ...beside })).toMatchObject({ status: 400, body: { errors } });
    }
    expect(await findListed(task.id)).toMatchObject(task);
  });

  test.each([
    ['completed', 'true'],
    ['completed', null],
    ['priority', 'HIGH'],
    ['dueDate', '2026-02-30'],
    ['dueTime', 'noon'],
    ['isAllDay', 0],
    ['reminder', 'no'],
    ['tags', 'tag'],
    ['tags', ['nonsense']],
    ['projectId', 'nonsense'],
    ['projectSectionId', 'nonsense'],
  ])('refuses %s %j', async (name, value) => {
    const task = await makeTask(anna);
    expect(await update([task.id], { [name]: value })).toMatchObject(problem(name));
    expect(await findListed(task.id)).toMatchObject(task);
  });

  test.each(['[]', 'null', '5', '{'])('refuses the body %s', async (body) => {
    const task = await makeTask(anna);
    expect(await update([task.id], body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });

  test("refuses another account's tags and projects, and changes nothing", async () => {
    const task = await makeTask(anna);
    const [tag, project] = [await makeTag(ben), await makeProject(ben)];
    expect(await update([task.id], { priority: 'high', tags: [tag.id] })).toMatchObject(problem('tags'));
    expect(await update([task.id], { priority: 'high', projectId: project.id })).toMatchObject(problem('projectId'));
    expect(await findListed(task.id)).toMatchObject(task);
  });

  test('refuses missing or foreign references even if no task exists', async () => {
    const [tag, project] = [await makeTag(ben), await makeProject(ben)];
    const section = await makeSection(ben, project.id);
    const ids = [(await makeTask(ben)).id, 'nonsense'];
    expect(await update(ids, { tags: [tag.id] })).toMatchObject(problem('tags'));
    expect(await update(ids, { projectId: project.id })).toMatchObject(problem('projectId'));
    expect(await update(ids, { projectSectionId: section.id })).toMatchObject(problem('projectSectionId'));
    const own = await makeTag(anna);
    expect((await update(ids, { tags: [own.id] })).body).toEqual({ todos: 0 });
    expect((await update(ids, { projectId: null, projectSectionId: null })).body).toEqual({ todos: 0 });
  });
});

describe('DELETE /api/v2/todo/bulk', () => {
  test('deletes the listed tasks with their subtasks, which do not count', async () => {
    const [first, second, kept] = [await makeTask(anna), await makeTask(anna), await makeTask(anna)];
    const child = await makeTask(anna, { parentId: first.id });
    const grandchild = await makeTask(anna, { parentId: child.id });
    const { status, body } = await remove([first.id, second.id]);
    expect({ status, body }).toEqual({ status: 200, body: { deletedCount: 2 } });
    const remainingIds = (await list()).map(({ id }) => id);
    expect(remainingIds).toContain(kept.id);
    for (const { id } of [first, second, child, grandchild]) expect(remainingIds).not.toContain(id);
  });

  test('counts a subtask that is listed with its parent', async () => {
    const parent = await makeTask(anna);
    const child = await makeTask(anna, { parentId: parent.id });
    expect((await remove([parent.id, child.id, child.id])).body).toEqual({ deletedCount: 2 });
  });

  test('skips unknown, malformed and foreign ids', async () => {
    const [own, foreign] = [await makeTask(anna), await makeTask(ben)];
    expect((await remove([foreign.id, 'nonsense', own.id])).body).toEqual({ deletedCount: 1 });
    expect((await remove([foreign.id, own.id])).body).toEqual({ deletedCount: 0 });
    expect((await list(ben)).map(({ id }) => id)).toContain(foreign.id);
  });
});

describe.each(['PATCH', 'DELETE'])('%s /api/v2/todo/bulk', (method) => {
  const body = method === 'PATCH' ? { priority: 'high' } : undefined;

  test.each(['', '?todoIds=', '?todoIds=,%20,'])('refuses the query %j', async (query) => {
    expect(await anna.send(method, `/api/v2/todo/bulk${query}`, body)).toMatchObject(problem('todoIds'));
  });
});
