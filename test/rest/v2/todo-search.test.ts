import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { makeProject, makeTag, makeTask, makeWorkspace, type RestTag, type RestTask } from '../../kit/make.ts';
import type { Service } from '../../kit/service.ts';
import { sharedService } from '../../kit/shared-service.ts';
import { signUp, type User } from '../../kit/users.ts';

let service: Service;
let anna: User;

beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});
beforeEach(() => service.sql('DELETE FROM tasks; DELETE FROM trash'));

interface Found {
  todos: RestTask[];
  tags: RestTag[];
}

const find = (q: string, user = anna) => user.get<Found>(`/api/v2/todo/search?q=${encodeURIComponent(q)}`);

async function found(q: string, user = anna): Promise<string[]> {
  const { status, body } = await find(q, user);
  expect(status).toBe(200);
  return body.todos.map(({ title }) => title);
}

describe('GET /api/v2/todo/search', () => {
  test('shows exactly the reduced fields of tasks, and tags', async () => {
    const tag = await makeTag(anna, { name: 'groceries', color: 'pink' });
    const project = await makeProject(anna);
    const parent = await makeTask(anna, { title: 'Weekly', projectId: project.id });
    const fields = { description: 'at the market', priority: 'high', dueDate: '2026-11-20' };
    const task = await makeTask(anna, { title: 'Groceries', ...fields, parentId: parent.id, isAllDay: true });
    await anna.patch(`/api/v2/todo/${task.id}`, { completed: true });
    const { status, body } = await find('groceries');
    expect(status).toBe(200);
    const { id } = task;
    expect(body).toEqual({
      todos: [{ id, title: 'Groceries', ...fields, completed: true, parentId: parent.id, projectId: project.id }],
      tags: [tag],
    });
  });

  test('shows projectId null for an inbox task', async () => {
    await makeTask(anna, { title: 'Inbox thing' });
    expect((await find('thing')).body.todos).toMatchObject([{ projectId: null }]);
  });

  test('ranks the title before the description, and words and prefixes before likeness', async () => {
    await makeTask(anna, { title: 'Something 4', description: 'a gardne party' });
    await makeTask(anna, { title: 'Gardne 3' });
    await makeTask(anna, { title: 'Something 2', description: 'the garden' });
    await makeTask(anna, { title: 'Gardening 1' });
    await makeTask(anna, { title: 'Unrelated' });
    expect(await found('garden')).toEqual(['Gardening 1', 'Something 2', 'Gardne 3', 'Something 4']);
  });

  test.each([
    ['meeting', 'Team meeting'],
    ['MEETING', 'Team meeting'],
    ['mee', 'Team meeting'],
    ['meeting team', 'Team meeting'],
    ['tea mee', 'Team meeting'],
    ['meetnig', 'Team meeting'],
    ['meting', 'Team meeting'],
    ['meetting', 'Team meeting'],
    ['team metings', 'Team meeting'],
    ['dentst', 'Call the dentist'],
    ['recieve', 'Receive the parcel'],
    ['bücher', 'Bücher zurückgeben'],
    ['日本', '日本語を勉強する'],
    ['приве', 'Написать привет'],
  ])('finds with %j the task %j', async (query, title) => {
    await makeTask(anna, { title });
    await makeTask(anna, { title: 'Xyzzy' });
    expect(await found(query)).toEqual([title]);
  });

  test('needs every word', async () => {
    await makeTask(anna, { title: 'Paint fence' });
    await makeTask(anna, { title: 'Paint', description: 'the fence' });
    await makeTask(anna, { title: 'Zebra' });
    expect(await found('paint fence')).toEqual(['Paint fence', 'Paint']);
    expect(await found('qqqq')).toEqual([]);
  });

  test('finds tags by word, prefix and likeness, best first', async () => {
    for (const name of ['Werk', 'homework', 'Workshop', 'work', 'travel']) await makeTag(anna, { name });
    const names = (await find('work')).body.tags.map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(['work', 'Workshop']);
    expect(names).not.toContain('travel');
    expect((await find('trvel')).body.tags.map(({ name }) => name)).toEqual(['travel']);
  });

  test('returns the best fifty of each', async () => {
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, description, sort_key)
       SELECT format('task_%s', lpad(n::text, 26, '0')), $1, (SELECT id FROM projects WHERE space_id = $1 AND is_default),
         CASE WHEN n > 60 THEN 'needle ' || n ELSE 'other' END, CASE WHEN n <= 60 THEN 'needle' END, lpad(n::text, 4, '0')
       FROM generate_series(1, 100) AS n`,
      [anna.id],
    );
    await service.sql(
      `INSERT INTO tags (id, space_id, name, color)
       SELECT format('tag_%s', lpad(n::text, 26, '0')), $1, 'needle ' || n, 'RED' FROM generate_series(1, 60) AS n`,
      [anna.id],
    );
    const { body } = await find('needle');
    expect([body.todos.length, body.tags.length]).toEqual([50, 50]);
    expect(body.todos.slice(0, 40).every(({ title }) => title.startsWith('needle'))).toBe(true);
    expect(body.todos.slice(40).every(({ title }) => title === 'other')).toBe(true);
  });

  test('finds nothing of another account except shared workspaces', async () => {
    const ben = await signUp(service);
    const workspace = await makeWorkspace(ben, anna);
    const project = await makeProject(ben, { workspaceId: workspace.id });
    await makeTask(ben, { title: 'Secret plan' });
    await makeTag(ben, { name: 'plan' });
    await makeTask(ben, { title: 'Shared plan', projectId: project.id });
    expect(await found('plan')).toEqual(['Shared plan']);
    expect((await find('plan')).body.tags).toEqual([]);
  });

  test.each(['', ' ', '%20%09', '%00', 'a%00b', 'a'.repeat(501)])('refuses q=%s', async (q) => {
    expect(await anna.get(`/api/v2/todo/search?q=${q}`)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'q' }] },
    });
  });

  test('refuses a missing q', async () => {
    expect(await anna.get('/api/v2/todo/search')).toMatchObject({ status: 400, body: { errors: [{ path: 'q' }] } });
  });

  test('treats any text as words, whatever characters it has', async () => {
    await makeTask(anna, { title: 'Anything' });
    const signs = [
      "'",
      '"',
      '\\',
      '!',
      '&',
      '|',
      '(',
      ')',
      ':*',
      '<->',
      '%',
      '_',
      '*',
      "E'",
      'a',
      ' ',
      '/',
      '.',
      '@',
      '-',
    ];
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }).filter((value) => !value.includes('\0') && value.trim() !== ''),
      fc.array(fc.constantFrom(...signs), { minLength: 1, maxLength: 12 }).map((parts) => `x${parts.join('')}`),
    );
    await fc.assert(
      fc.asyncProperty(text, async (q) => {
        expect(await find(q)).toMatchObject({ status: 200 });
        const title = `t ${q}`;
        await makeTask(anna, { title });
      }),
      { numRuns: 15 },
    );
  });

  test.each([
    "it's",
    'C:\\temp\\file',
    'a@b.example',
    'https://example.com/a?b=c&d',
    '50%',
    'snake_case',
    'C++',
    'a&b',
  ])('finds the title %j with that title', async (title) => {
    await makeTask(anna, { title });
    expect(await found(title)).toEqual([title]);
  });
});
