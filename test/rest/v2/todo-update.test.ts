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

const patch = (id: string, body: unknown, user = anna) => user.patch<{ todo: RestTask }>(`/api/v2/todo/${id}`, body);
const problem = (path: string) => ({ status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path }] } });

async function findListed(id: string): Promise<ListedTask | undefined> {
  return (await anna.get<{ todos: ListedTask[] }>('/api/v2/todo')).body.todos.find((task) => task.id === id);
}

const rowOf = async (id: string) => (await service.sql('SELECT * FROM tasks WHERE id = $1', [id]))[0];

describe('PATCH /api/v2/todo/:id', () => {
  test.each([
    { title: 'New' },
    { description: 'New' },
    { description: '' },
    { priority: 'low' },
    { dueDate: '2027-01-31' },
    { dueTime: '2027-01-31T09:00:00.000Z' },
    { color: '#fff' },
    { reminder: false },
    { sortKey: 'q q' },
    { description: null },
    { priority: null },
    { dueDate: null },
    { dueTime: null },
    { color: null },
  ])('changes %j and nothing else', async (change) => {
    const task = await makeTask(anna, {
      description: 'Old',
      priority: 'high',
      dueDate: '2026-11-20',
      dueTime: '2026-11-20T10:00:00.000Z',
      isAllDay: false,
      color: '#123456',
      reminder: true,
    });
    const { status, body } = await patch(task.id, change);
    expect(status).toBe(200);
    expect(body).toEqual({ todo: { ...task, ...change } });
    expect(await findListed(task.id)).toEqual({ ...task, ...change, tags: [], children: [] });
  });

  test('changes many fields at once', async () => {
    const task = await makeTask(anna);
    const changes = {
      title: 'All',
      description: 'of them',
      priority: 'medium',
      dueDate: '2027-02-28',
      dueTime: '2027-02-28T07:00:00.000Z',
      isAllDay: false,
      color: '#abcdef',
      reminder: true,
      sortKey: 'zz',
    };
    expect((await patch(task.id, changes)).body).toEqual({ todo: { ...task, ...changes } });
  });

  test('without a field changes nothing', async () => {
    const task = await makeTask(anna);
    const before = await rowOf(task.id);
    expect(await patch(task.id, {})).toMatchObject({ status: 200, body: { todo: task } });
    expect(await patch(task.id, { unknown: 1, parentId: task.id })).toMatchObject({
      status: 200,
      body: { todo: task },
    });
    expect(await rowOf(task.id)).toEqual(before);
  });

  test('trims the title', async () => {
    const task = await makeTask(anna);
    expect((await patch(task.id, { title: `\t${'é'.repeat(500)} ` })).body.todo.title).toBe('é'.repeat(500));
  });

  describe('isAllDay', () => {
    const timed = { dueDate: '2026-11-20', dueTime: '2026-11-20T10:00:00.000Z', isAllDay: false };

    test.each([true, null])('%j clears dueTime, also one in the same request', async (isAllDay) => {
      const task = await makeTask(anna, timed);
      expect((await patch(task.id, { isAllDay })).body.todo).toMatchObject({ isAllDay, dueTime: null });
      const { body } = await patch(task.id, { isAllDay, dueTime: timed.dueTime });
      expect(body.todo).toMatchObject({ isAllDay, dueTime: null });
    });

    test('true omits dueTime, and false together with dueTime keeps it', async () => {
      const task = await makeTask(anna);
      expect((await patch(task.id, { dueTime: timed.dueTime })).body.todo.dueTime).toBeNull();
      expect((await patch(task.id, timed)).body.todo).toMatchObject(timed);
    });
  });

  describe('completed', () => {
    test('true sets completedAt once, and false clears it', async () => {
      const task = await makeTask(anna);
      const completedTask = (await patch(task.id, { completed: true })).body.todo;
      expect(completedTask).toEqual({
        ...task,
        completed: true,
        completedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      });
      await service.sql("UPDATE tasks SET completed_at = '2026-01-02T03:04:05.678Z' WHERE id = $1", [task.id]);
      const updatedResponse = await patch(task.id, { completed: true, title: 'Still done' });
      expect(updatedResponse.body.todo).toMatchObject({ completed: true, completedAt: '2026-01-02T03:04:05.678Z' });
      expect((await patch(task.id, { completed: false })).body.todo).toEqual({ ...task, title: 'Still done' });
    });

    test('does not change subtasks', async () => {
      const parent = await makeTask(anna);
      const child = await makeTask(anna, { parentId: parent.id });
      await patch(parent.id, { completed: true });
      expect(await findListed(child.id)).toMatchObject({ completed: false, completedAt: null });
    });
  });

  describe('tags', () => {
    test('replace the whole set; the response has no tags', async () => {
      const [red, blue, green] = [
        await makeTag(anna, { name: 'r' }),
        await makeTag(anna, { name: 'b' }),
        await makeTag(anna, { name: 'g' }),
      ];
      const task = await makeTask(anna, { tags: [red.id, blue.id] });
      const { status, body } = await patch(task.id, { tags: [blue.id, green.id, blue.id] });
      expect(status).toBe(200);
      expect(body).toEqual({ todo: task });
      expect((await findListed(task.id))?.tags).toEqual([blue, green]);
      await patch(task.id, { title: 'untouched tags' });
      expect((await findListed(task.id))?.tags).toEqual([blue, green]);
      await patch(task.id, { tags: [] });
      expect((await findListed(task.id))?.tags).toEqual([]);
    });

    test("that are unknown or another account's are refused, and nothing is written", async () => {
      const [own, foreign] = [await makeTag(anna), await makeTag(ben)];
      const task = await makeTask(anna, { tags: [own.id] });
      for (const id of [foreign.id, 'tag_01h2xcejqtf2nbrexx3vqjhp41', 'nonsense']) {
        expect(await patch(task.id, { title: 'x', tags: [id] })).toMatchObject(problem('tags'));
      }
      expect(await findListed(task.id)).toMatchObject({ title: task.title, tags: [own] });
    });
  });

  test.each([
    ['title', ''],
    ['title', ' '],
    ['title', null],
    ['title', 5],
    ['title', 'a'.repeat(501)],
    ['title', 'a\0'],
    ['description', 5],
    ['description', '\ud800'],
    ['description', '🦊'.repeat(16_385)],
    ['priority', 'HIGH'],
    ['priority', 'none'],
    ['dueDate', '2026-02-30'],
    ['dueDate', 5],
    ['dueTime', '2026-11-20'],
    ['dueTime', '0001-01-01T00:00:00+14:00'],
    ['isAllDay', 'false'],
    ['completed', 'true'],
    ['completed', 1],
    ['completed', null],
    ['color', 'blue'],
    ['reminder', 'true'],
    ['reminder', null],
    ['tags', null],
    ['tags', 'tag'],
    ['sortKey', ''],
    ['sortKey', null],
    ['sortKey', 'ä'],
    ['sortKey', 'a\n'],
    ['sortKey', '~'.repeat(256)],
    ['sortKey', 5],
    ['projectId', 5],
    ['projectSectionId', false],
  ])('refuses %s %j', async (name, value) => {
    const task = await makeTask(anna);
    expect(await patch(task.id, { [name]: value })).toMatchObject(problem(name));
    expect(await findListed(task.id)).toMatchObject(task);
  });

  test('names every problem', async () => {
    const task = await makeTask(anna);
    const { body } = await patch(task.id, { title: '', color: 'x', completed: 'no' });
    expect(body).toEqual({
      message: expect.any(String),
      code: 'VALIDATION_FAILED',
      errors: ['title', 'completed', 'color'].map((path) => ({ path, message: expect.any(String) })),
    });
  });
});

describe('PATCH /api/v2/todo/:id to another place', () => {
  test('moves to another project and back to the inbox', async () => {
    const [task, project] = [await makeTask(anna), await makeProject(anna)];
    expect((await patch(task.id, { projectId: project.id })).body.todo).toEqual({ ...task, projectId: project.id });
    expect(await findListed(task.id)).toMatchObject({ projectId: project.id });
    expect((await patch(task.id, { projectId: null })).body.todo).toEqual(task);
    expect(await findListed(task.id)).toMatchObject({ projectId: null });
  });

  test('moves the subtree too, and clears the sections of the old project', async () => {
    const [project, other] = [await makeProject(anna), await makeProject(anna)];
    const section = await makeSection(anna, project.id);
    const top = await makeTask(anna, { projectId: project.id, projectSectionId: section.id });
    const child = await makeTask(anna, { parentId: top.id });
    const grandchild = await makeTask(anna, { parentId: child.id });
    const moved = { projectId: other.id, projectSectionId: null };
    expect((await patch(top.id, { projectId: other.id })).body.todo).toEqual({ ...top, ...moved });
    expect(await findListed(top.id)).toMatchObject({ ...moved, children: [{ ...moved, children: [moved] }] });
    expect(await findListed(grandchild.id)).toMatchObject({ ...moved, parentId: child.id });
  });

  test('changes only the fields of the task, not of its subtree', async () => {
    const [top, project] = [await makeTask(anna), await makeProject(anna)];
    const child = await makeTask(anna, { parentId: top.id });
    await patch(top.id, { projectId: project.id, title: 'Moved', completed: true, sortKey: 'k' });
    expect(await findListed(top.id)).toMatchObject({ title: 'Moved', completed: true, sortKey: 'k' });
    expect(await findListed(child.id)).toMatchObject({ ...child, projectId: project.id });
  });

  test('into a section, between sections and out of them, with the subtree', async () => {
    const project = await makeProject(anna);
    const [first, second] = [await makeSection(anna, project.id), await makeSection(anna, project.id)];
    const top = await makeTask(anna, { projectId: project.id });
    const child = await makeTask(anna, { parentId: top.id });
    for (const projectSectionId of [first.id, second.id, null]) {
      expect((await patch(top.id, { projectSectionId })).body.todo).toEqual({ ...top, projectSectionId });
      expect(await findListed(child.id)).toMatchObject({ projectSectionId });
    }
  });

  test('into a section of another project together with that project', async () => {
    const [task, project] = [await makeTask(anna), await makeProject(anna)];
    const section = await makeSection(anna, project.id);
    const place = { projectId: project.id, projectSectionId: section.id };
    expect((await patch(task.id, place)).body.todo).toEqual({ ...task, ...place });
  });

  test('to its own project keeps its section', async () => {
    const project = await makeProject(anna);
    const section = await makeSection(anna, project.id);
    const task = await makeTask(anna, { projectId: project.id, projectSectionId: section.id });
    expect((await patch(task.id, { projectId: project.id })).body.todo).toEqual(task);
  });

  test('refuses a section of another project', async () => {
    const [project, other] = [await makeProject(anna), await makeProject(anna)];
    const section = await makeSection(anna, other.id);
    const task = await makeTask(anna, { projectId: project.id });
    for (const projectSectionId of [section.id, 'nonsense']) {
      expect(await patch(task.id, { projectSectionId })).toMatchObject(problem('projectSectionId'));
      const place = { projectId: project.id, projectSectionId };
      expect(await patch(task.id, place)).toMatchObject(problem('projectSectionId'));
    }
    expect(await findListed(task.id)).toMatchObject(task);
  });

  test("refuses projects and sections that are unknown or another account's", async () => {
    const task = await makeTask(anna);
    const project = await makeProject(ben);
    const section = await makeSection(ben, project.id);
    for (const projectId of [project.id, 'proj_01h2xcejqtf2nbrexx3vqjhp41', 'nonsense', '']) {
      expect(await patch(task.id, { projectId })).toMatchObject(problem('projectId'));
    }
    expect(await patch(task.id, { projectSectionId: section.id })).toMatchObject(problem('projectSectionId'));
  });

  test("refuses to move a subtask out of its parent's project", async () => {
    const project = await makeProject(anna);
    const parent = await makeTask(anna);
    const child = await makeTask(anna, { parentId: parent.id });
    expect(await patch(child.id, { projectId: project.id })).toMatchObject(problem('projectId'));
    expect(await patch(child.id, { projectId: null })).toMatchObject({ status: 200, body: { todo: child } });
  });
});
