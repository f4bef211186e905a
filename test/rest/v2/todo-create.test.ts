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

const create = (body: unknown, user = anna) => user.post<{ msg: string; todo: RestTask }>('/api/v2/todo', body);
const problem = (path: string) => ({ status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path }] } });

async function findListed(id: string): Promise<ListedTask | undefined> {
  return (await anna.get<{ todos: ListedTask[] }>('/api/v2/todo')).body.todos.find((task) => task.id === id);
}

describe('POST /api/v2/todo', () => {
  test('creates a task from only a title, in the inbox, with the defaults', async () => {
    const { status, body } = await create({ title: 'Buy milk' });
    expect(status).toBe(201);
    expect(body).toEqual({
      msg: 'todo added sucessfully',
      todo: {
        id: expect.stringMatching(/^task_[0-9a-hjkmnp-tv-z]{26}$/),
        title: 'Buy milk',
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
        parentId: null,
        projectId: null,
        projectSectionId: null,
      },
    });
    expect(await findListed(body.todo.id)).toEqual({ ...body.todo, tags: [], children: [] });
  });

  test('creates a task with all fields', async () => {
    const project = await makeProject(anna);
    const section = await makeSection(anna, project.id);
    const tags = [await makeTag(anna, { name: 'a' }), await makeTag(anna, { name: 'b' })];
    const fields = {
      title: 'Paint',
      description: 'Line 1\nLine 2 🎨',
      priority: 'medium',
      dueDate: '2028-02-29',
      dueTime: '2028-02-29T08:30:00.000Z',
      isAllDay: false,
      color: '#12AbEf80',
      reminder: true,
      projectId: project.id,
      projectSectionId: section.id,
    };
    const { status, body } = await create({ ...fields, tags: tags.map(({ id }) => id) });
    expect(status).toBe(201);
    expect(body.todo).toMatchObject(fields);
    expect(Object.keys(body.todo).sort()).toEqual(
      [...Object.keys(fields), 'id', 'completed', 'completedAt', 'sortKey', 'parentId'].sort(),
    );
    expect(await findListed(body.todo.id)).toEqual({ ...body.todo, tags, children: [] });
  });

  test('accepts null for every optional field', async () => {
    const optional = ['description', 'priority', 'dueDate', 'dueTime', 'color', 'reminder', 'tags', 'parentId'];
    const places = ['projectId', 'projectSectionId', 'isAllDay'];
    const nulls = Object.fromEntries([...optional, ...places].map((name) => [name, null]));
    const { status, body } = await create({ title: 'Nothing', ...nulls });
    expect(status).toBe(201);
    expect(body.todo).toMatchObject({ description: null, isAllDay: null, reminder: false, projectId: null });
  });

  test('ignores completed and fields that are not in the contract', async () => {
    const foreign = { uuid: 'task_x', completed: true, completedAt: '2026-01-01', sortKey: '!', owner: 1 };
    const { status, body } = await create({ title: 'Open', ...foreign });
    expect(status).toBe(201);
    expect(body.todo).toMatchObject({ completed: false, completedAt: null });
    expect(body.todo).not.toHaveProperty('uuid');
    expect(body.todo.sortKey).not.toBe('!');
  });

  test('responds with projectId null even if the inbox is named', async () => {
    const { inbox } = (await anna.get<{ inbox: { id: string } }>('/api/v2/projects/inbox')).body;
    const section = await makeSection(anna, inbox.id);
    const { body } = await create({ title: 'Here', projectId: inbox.id, projectSectionId: section.id });
    expect(body.todo).toMatchObject({ projectId: null, projectSectionId: section.id });
  });

  test('puts each new task last in its project', async () => {
    const project = await makeProject(anna);
    const keys: string[] = [];
    for (let count = 0; count < 4; count += 1) keys.push((await makeTask(anna, { projectId: project.id })).sortKey);
    expect(keys).toEqual([...new Set(keys)].sort());
  });

  test.each([' ', '~'.repeat(255), `${'~'.repeat(254)}}`, 'zzzzzzzzzzzzzzzzzzzzzzzzzzz', 'a0 ', '\\', 'Zz~'])(
    'puts a new task last even after the sort key %j of a client',
    async (sortKey) => {
      const project = await makeProject(anna);
      const first = await makeTask(anna, { projectId: project.id });
      const updateResponse = await anna.patch(`/api/v2/todo/${first.id}`, { sortKey });
      expect(updateResponse).toMatchObject({ status: 200, body: { todo: { sortKey } } });
      const ids = [first.id];
      for (let count = 0; count < 3; count += 1) ids.push((await makeTask(anna, { projectId: project.id })).id);
      const rows = await service.sql<{ id: string }>(
        'SELECT id FROM tasks WHERE project_id = $1 ORDER BY sort_key, id',
        [project.id],
      );
      expect(rows.map(({ id }) => id)).toEqual(ids);
    },
  );

  describe('title', () => {
    test('is trimmed and counted in code points', async () => {
      expect((await create({ title: `  ${'🦊'.repeat(500)}\n` })).body.todo.title).toBe('🦊'.repeat(500));
      expect(await create({ title: '🦊'.repeat(501) })).toMatchObject(problem('title'));
    });

    test.each([undefined, null, '', '  \t\n', 7, true, ['a'], {}, 'a\0b', 'a\ud800b'])('refuses %j', async (title) => {
      expect(await create({ title })).toMatchObject(problem('title'));
    });
  });

  describe('description', () => {
    test('is kept unchanged, and counted in code points', async () => {
      const longest = ` ${'🦊'.repeat(16_382)}\n`;
      expect((await create({ title: 'x', description: longest })).body.todo.description).toBe(longest);
      expect(await create({ title: 'x', description: `${longest}a` })).toMatchObject(problem('description'));
      expect(await create({ title: 'x', description: 'a'.repeat(16_385) })).toMatchObject(problem('description'));
    });
  });

  describe('due date and time', () => {
    test.each(['2026-02-30', '2025-02-29', '20261120', '2026-11-20T00:00:00Z', '0000-01-01', '', 20261120, true])(
      'refuses dueDate %j',
      async (dueDate) => {
        expect(await create({ title: 'x', dueDate })).toMatchObject(problem('dueDate'));
      },
    );

    test.each([
      'tomorrow',
      '2026-11-20',
      '2026-02-30T10:00:00Z',
      '2026-11-20T25:00:00Z',
      '9999-12-31T23:59:59-01:00',
      1763632800,
      {},
    ])('refuses dueTime %j', async (dueTime) => {
      expect(await create({ title: 'x', dueTime, isAllDay: false })).toMatchObject(problem('dueTime'));
    });

    test.each([
      ['2026-11-20T10:00:00', '2026-11-20T10:00:00.000Z'],
      ['2026-11-20T10:00:00+02:00', '2026-11-20T08:00:00.000Z'],
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
      ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ])('reads dueTime %s as %s', async (dueTime, expected) => {
      const { body } = await create({ title: 'x', dueTime, isAllDay: false });
      expect(body.todo).toMatchObject({ dueTime: expected, isAllDay: false });
    });

    test.each(['0001-01-01', '9999-12-31'])('keeps dueDate %s', async (dueDate) => {
      expect((await create({ title: 'x', dueDate })).body.todo.dueDate).toBe(dueDate);
    });

    test.each([{}, { isAllDay: true }, { isAllDay: null }])('ignores dueTime with %j', async (fields) => {
      const { status, body } = await create({ title: 'x', dueTime: '2026-11-20T10:00:00Z', ...fields });
      expect(status).toBe(201);
      expect(body.todo.dueTime).toBeNull();
    });
  });

  test.each(['#abc', '#A1B2C3', '#a1b2c3d4'])('accepts the color %s unchanged', async (color) => {
    expect((await create({ title: 'x', color })).body.todo.color).toBe(color);
  });

  test.each([
    ['description', 5],
    ['description', 'a\0b'],
    ['description', '\udc00'],
    ['priority', 'HIGH'],
    ['priority', 'urgent'],
    ['priority', ''],
    ['priority', 1],
    ['isAllDay', 'true'],
    ['isAllDay', 1],
    ['color', 'red'],
    ['color', '#ab'],
    ['color', '#abcd'],
    ['color', '#ggg'],
    ['color', 'abc'],
    ['color', '#abc\n'],
    ['reminder', 'false'],
    ['reminder', 0],
    ['tags', 'tag_1'],
    ['tags', {}],
    ['parentId', 5],
    ['projectId', []],
  ])('refuses %s %j', async (name, value) => {
    expect(await create({ title: 'x', [name]: value })).toMatchObject(problem(name));
  });

  test.each([{ title: 'x', tags: [5] }])('refuses %j', async (body) => {
    expect(await create(body)).toMatchObject(problem('tags.0'));
  });

  test.each(['[]', 'null', '"text"', '5', '{"title":', ''])('refuses the body %j', async (body) => {
    expect(await create(body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });

  test('refuses another content type', async () => {
    const options = { headers: { 'Content-Type': 'text/plain' } };
    expect(await anna.post('/api/v2/todo', '{"title":"x"}', options)).toMatchObject({ status: 400 });
  });

  describe('references', () => {
    test("refuses ids that are unknown, malformed or another account's, and writes nothing", async () => {
      const before = await service.sql('SELECT count(*) FROM tasks');
      const [project, tag, task] = [await makeProject(ben), await makeTag(ben), await makeTask(ben)];
      const own = await makeTag(anna);
      for (const projectId of [project.id, 'proj_01h2xcejqtf2nbrexx3vqjhp41', 'nonsense', '', own.id]) {
        expect(await create({ title: 'x', projectId })).toMatchObject(problem('projectId'));
      }
      for (const id of [tag.id, 'tag_01h2xcejqtf2nbrexx3vqjhp41', 'nonsense', '']) {
        expect(await create({ title: 'x', tags: [own.id, id] })).toMatchObject(problem('tags'));
      }
      for (const parentId of [task.id, 'task_01h2xcejqtf2nbrexx3vqjhp41', 'nonsense', '']) {
        expect(await create({ title: 'x', parentId })).toMatchObject(problem('parentId'));
      }
      await anna.delete(`/api/v2/todo/${task.id}`);
      await ben.delete(`/api/v2/todo/${task.id}`);
      expect(await service.sql('SELECT count(*) FROM tasks')).toEqual(before);
    });

    test('counts a repeated tag once', async () => {
      const tag = await makeTag(anna);
      const { status, body } = await create({ title: 'x', tags: [tag.id, tag.id] });
      expect(status).toBe(201);
      expect((await findListed(body.todo.id))?.tags).toEqual([tag]);
    });

    test('accepts only a section of the named project', async () => {
      const [project, other, foreign] = [await makeProject(anna), await makeProject(anna), await makeProject(ben)];
      const section = await makeSection(anna, project.id);
      const foreignSection = await makeSection(ben, foreign.id);
      const inProject = (projectSectionId: string, projectId?: string) =>
        create({ title: 'x', projectId, projectSectionId });
      expect(await inProject(section.id, project.id)).toMatchObject({ status: 201 });
      expect(await inProject(section.id)).toMatchObject(problem('projectSectionId'));
      expect(await inProject(section.id, other.id)).toMatchObject(problem('projectSectionId'));
      expect(await inProject(foreignSection.id, project.id)).toMatchObject(problem('projectSectionId'));
      expect(await inProject('nonsense', project.id)).toMatchObject(problem('projectSectionId'));
      expect(await create({ title: 'x', projectId: null, projectSectionId: section.id })).toMatchObject(
        problem('projectSectionId'),
      );
    });
  });

  describe('subtasks', () => {
    test("are in their parent's project and section", async () => {
      const project = await makeProject(anna);
      const section = await makeSection(anna, project.id);
      const parent = await makeTask(anna, { projectId: project.id, projectSectionId: section.id });
      const place = { parentId: parent.id, projectId: project.id, projectSectionId: section.id };
      expect((await create({ title: 'x', parentId: parent.id })).body.todo).toMatchObject(place);
      expect((await create({ title: 'x', ...place })).body.todo).toMatchObject(place);
      const { body } = await create({ title: 'x', parentId: parent.id, projectId: project.id });
      expect(body.todo).toMatchObject({ ...place, projectSectionId: null });
    });

    test('are refused in another project than their parent', async () => {
      const [project, other] = [await makeProject(anna), await makeProject(anna)];
      const parent = await makeTask(anna, { projectId: project.id });
      expect(await create({ title: 'x', parentId: parent.id, projectId: other.id })).toMatchObject(
        problem('projectId'),
      );
    });

    test('have at most ten levels', async () => {
      let parentId: string | undefined;
      for (let level = 1; level <= 10; level += 1) ({ id: parentId } = await makeTask(anna, { parentId }));
      expect(await create({ title: 'level 11', parentId })).toMatchObject(problem('parentId'));
    });
  });
});
