import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ListedTask, makeProject, makeSection, makeTag, makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;

beforeAll(async () => {
  service = await sharedService();
});

interface Account {
  user: User;
  projectId: string;
  sectionId: string;
  tagIds: string[];
  ids: string[];
}

async function makeAccount(count: number): Promise<Account> {
  const user = await signUp(service);
  const { id: projectId } = await makeProject(user);
  const { id: sectionId } = await makeSection(user, projectId);
  const tagIds = [(await makeTag(user, { name: 'b' })).id, (await makeTag(user, { name: 'a' })).id];
  const rows = await service.sql<{ id: string }>(
    `INSERT INTO tasks (id, space_id, project_id, section_id, parent_id, title, sort_key)
     SELECT prefix || lpad(n::text, 5, '0'), $1, $2, $3,
       CASE WHEN n % 10 <> 1 THEN prefix || lpad((n - 1)::text, 5, '0') END, 'task ' || n, 'd' || lpad(n::text, 4, '0')
     FROM generate_series(1, $4::int) AS n, format('task_0%s', right($2, 20)) AS prefix
     RETURNING id`,
    [user.id, projectId, sectionId, count],
  );
  const ids = rows.map(({ id }) => id);
  await service.sql('INSERT INTO task_tags SELECT task, tag, $3 FROM unnest($1::text[]) task, unnest($2::text[]) tag', [
    ids,
    tagIds,
    user.id,
  ]);
  return { user, projectId, sectionId, tagIds, ids };
}

const readOnly = new Map<number, Promise<Account>>();

/** The same account for all tests that only read. Each sends another request, because responses are cached. */
function accountToRead(count: number): Promise<Account> {
  const account = readOnly.get(count) ?? makeAccount(count);
  readOnly.set(count, account);
  return account;
}

describe('the statements of a request, without that of the session', () => {
  const first = ({ ids }: Account) => ids[0] ?? '';
  const idList = ({ ids }: Account) => ids.join(',');

  test.each<[string, number, (account: Account) => Promise<{ status: number }>]>([
    ['GET todo', 1, ({ user }) => user.get('/api/v2/todo')],
    ['GET todo?completed', 1, ({ user }) => user.get('/api/v2/todo?completed=false')],
    ['GET todo?tagIds', 1, ({ user, tagIds }) => user.get(`/api/v2/todo?tagIds=${tagIds.join(',')}`)],
    ['GET todo/search', 4, ({ user }) => user.get('/api/v2/todo/search?q=task')],
    ['POST todo', 1, ({ user }) => user.post('/api/v2/todo', { title: 'x' })],
    ['POST todo with a due date', 1, ({ user }) => user.post('/api/v2/todo', { title: 'x', dueDate: '2027-01-01' })],
    [
      'POST todo with all that it can refer to',
      1,
      (account) => {
        const { user, projectId, sectionId, tagIds } = account;
        const place = { projectId, projectSectionId: sectionId, parentId: first(account) };
        return user.post('/api/v2/todo', { title: 'x', tags: tagIds, ...place });
      },
    ],
    [
      "POST todo behind a key that is the client's own",
      6,
      async (account) => {
        await service.sql(`UPDATE tasks SET sort_key = '~' WHERE id = $1`, [first(account)]);
        return account.user.post('/api/v2/todo', { title: 'x', projectId: account.projectId });
      },
    ],
    [
      'PATCH todo/:id',
      1,
      (account) => account.user.patch(`/api/v2/todo/${first(account)}`, { title: 'y', completed: true }),
    ],
    ['PATCH todo/:id without a field', 2, (account) => account.user.patch(`/api/v2/todo/${first(account)}`, {})],
    [
      'PATCH todo/:id with tags',
      3,
      (account) => account.user.patch(`/api/v2/todo/${first(account)}`, { tags: account.tagIds }),
    ],
    [
      'PATCH todo/:id to another place',
      5,
      (account) => account.user.patch(`/api/v2/todo/${first(account)}`, { projectId: null, tags: [], title: 'z' }),
    ],
    [
      'PATCH todo/bulk',
      1,
      (account) =>
        account.user.patch(`/api/v2/todo/bulk?todoIds=${idList(account)}`, { completed: true, priority: 'high' }),
    ],
    [
      'PATCH todo/bulk with tags',
      2,
      (account) => account.user.patch(`/api/v2/todo/bulk?todoIds=${idList(account)}`, { tags: account.tagIds }),
    ],
    [
      'PATCH todo/bulk to another place',
      5,
      (account) =>
        account.user.patch(`/api/v2/todo/bulk?todoIds=${idList(account)}`, { projectId: account.projectId, tags: [] }),
    ],
    ['DELETE todo/:id', 1, (account) => account.user.delete(`/api/v2/todo/${first(account)}`)],
    ['DELETE todo/bulk', 1, (account) => account.user.delete(`/api/v2/todo/bulk?todoIds=${idList(account)}`)],
  ])('%s: %i, for any number of tasks', async (name, expected, request) => {
    for (const count of [10, 1000]) {
      const account = await (name.startsWith('GET') ? accountToRead(count) : makeAccount(count));
      const { result, own } = await recordStatements(() => request(account));
      expect(result.status).toBeLessThan(300);
      expect(own).toHaveLength(expected);
    }
  });
});

describe('the statements of occurrences, for any number of them and of subtasks', () => {
  const recurrence = { basis: 'SCHEDULE', timeZone: 'UTC', time: null, rule: 'FREQ=DAILY', number: 1 };
  const dates = { start: '2040-01-01', date: '2040-01-01' };
  /** Each task at the top has nine subtasks below it. */
  const makeOccurrences = async (count: number) => {
    const account = await makeAccount(count);
    const rows = await service.sql<{ id: string }>(
      `UPDATE tasks SET recurrence = $2::jsonb || jsonb_build_object('seriesId', replace(id, 'task', 'seri'))
       WHERE space_id = $1 AND parent_id IS NULL RETURNING id`,
      [account.user.id, JSON.stringify({ ...recurrence, ...dates })],
    );
    return { user: account.user, ids: rows.map(({ id }) => id) };
  };
  const change = (user: User, ids: string[], fields: object) =>
    user.patch(`/api/v2/todo/bulk?todoIds=${ids.join()}`, fields);

  test.each<[string, number, object, object | undefined]>([
    ['a completion', 2, { completed: true }, undefined],
    ['an opening', 6, { completed: false }, { completed: true }],
    ['another change', 1, { priority: 'high' }, undefined],
    ['a completion of completed ones', 1, { completed: true }, { completed: true }],
  ])('%s: %i', async (_name, expected, fields, before) => {
    for (const count of [10, 100]) {
      const { user, ids } = await makeOccurrences(count);
      if (before) await change(user, ids, before);
      const { result, own } = await recordStatements(() => change(user, ids, fields));
      expect(result).toMatchObject({ status: 200, body: { todos: count / 10 } });
      expect(own).toHaveLength(expected);
    }
  });

  test('a completion without room behind each: 10', async () => {
    for (const count of [20, 200]) {
      const { user, ids } = await makeOccurrences(count);
      await service.sql("UPDATE tasks SET sort_key = 'same' WHERE id = ANY ($1)", [ids]);
      const { result, own } = await recordStatements(() => change(user, ids, { completed: true }));
      expect(result).toMatchObject({ status: 200, body: { todos: count / 10 } });
      expect(own).toHaveLength(10);
    }
  });
});

describe('the response to a change of many tasks over GraphQL', () => {
  const update = (selection: string) =>
    `mutation ($ids: [ID!]!) { updateTasks(ids: $ids, input: { priority: LOW }) { ${selection} } }`;

  test('takes one more statement for all tasks with their selected relations', async () => {
    for (const count of [10, 1000]) {
      const { user, ids } = await makeAccount(count);
      const selection = 'count tasks { id title children { title tags { name } } project { name } }';
      const { result, own } = await recordStatements(() =>
        user.data<{ updateTasks: { count: number; tasks: { id: string }[] } }>(update(selection), { ids }),
      );
      expect(own).toHaveLength(2);
      expect(result.updateTasks.count).toBe(count);
      expect(result.updateTasks.tasks.map(({ id }) => id)).toEqual(ids);
    }
  });

  test.each([
    ['updateTasks', update('count')],
    ['deleteTasks', 'mutation ($ids: [ID!]!) { deleteTasks(ids: $ids) { count deletedIds } }'],
  ])('of %s takes none if no task is selected', async (_name, mutation) => {
    const { user, ids } = await makeAccount(30);
    const { own } = await recordStatements(() => user.data(mutation, { ids }));
    expect(own).toHaveLength(1);
  });
});

describe('a nested list over GraphQL', () => {
  const nested = `{
    tasks(filter: { topLevel: true }, first: 500) {
      nodes { title children { title children { title tags { name } section { name } project { name } } } }
      totalCount
    }
  }`;

  test('is one statement, including the total number', async () => {
    const { user } = await accountToRead(30);
    const { result, own } = await recordStatements(() =>
      user.data<{ tasks: { nodes: object[]; totalCount: number } }>(nested),
    );
    expect(own).toHaveLength(1);
    expect(result.tasks.totalCount).toBe(3);
    expect(result.tasks.nodes[1]).toEqual({
      title: 'task 11',
      children: [
        {
          title: 'task 12',
          children: [
            {
              title: 'task 13',
              tags: [{ name: 'a' }, { name: 'b' }],
              section: { name: expect.any(String) },
              project: { name: expect.any(String) },
            },
          ],
        },
      ],
    });
  });

  test('of edges, parents and tag counts is one statement too', async () => {
    const { user } = await accountToRead(30);
    const { own } = await recordStatements(() =>
      user.data(`{
        tasks(first: 10, orderBy: DUE_DATE, filter: { completed: false }) {
          edges { cursor node { title parent { title parent { title } } tags { name taskCount } } }
          pageInfo { hasNextPage }
        }
      }`),
    );
    expect(own).toHaveLength(1);
  });

  test.each(['orderBy: TITLE, filter: { completed: false }', 'filter: { text: "task" }'])(
    'that is sorted is one statement, and one for the total number: %s',
    async (args) => {
      const { user } = await accountToRead(30);
      const list = (fields: string) => `{ tasks(${args}, first: 10) { nodes { title children { title } } ${fields} } }`;
      const { own } = await recordStatements(() => user.data(list('')));
      expect(own).toHaveLength(1);
      const counted = await recordStatements(() => user.data<{ tasks: { totalCount: number } }>(list('totalCount')));
      expect(counted.own).toHaveLength(2);
      expect(counted.result.tasks.totalCount).toBe(30);
    },
  );

  test('below projects and their sections has as many statements for ten tasks as for a thousand', async () => {
    const query = `{ projects { name tasks(first: 500, orderBy: PRIORITY, direction: ASC) { nodes { title tags { name } } totalCount }
      sections { name tasks(first: 500) { nodes { title children { title } } totalCount } } } }`;
    for (const count of [10, 1000]) {
      const { user } = await accountToRead(count);
      const { own } = await recordStatements(() => user.data(query));
      expect(own).toHaveLength(3);
    }
  });
});

describe('the tasks of tags over GraphQL', () => {
  const query = `{ tags { name taskCount
    tasks(first: 500, orderBy: DUE_DATE) { nodes { title children { title } tags { name } } totalCount } } }`;

  test('are one statement for all tags, and one for their numbers, for ten tasks as for a thousand', async () => {
    for (const count of [10, 1000]) {
      const { user } = await accountToRead(count);
      const { result, own } = await recordStatements(() =>
        user.data<{ tags: { tasks: { nodes: object[]; totalCount: number } }[] }>(query),
      );
      expect(own).toHaveLength(2);
      expect(result.tags.map(({ tasks }) => [tasks.nodes.length, tasks.totalCount])).toEqual([
        [Math.min(count, 500), count],
        [Math.min(count, 500), count],
      ]);
    }
  });
});

describe('GET /api/v2/todo of a thousand tasks', () => {
  const size = ({ children }: ListedTask): number => children.reduce((sum, child) => sum + size(child), 1);

  test.each(['', '?completed=false'])('shows each with its subtree and tags: %s', async (query) => {
    const { user, ids, projectId, sectionId } = await accountToRead(1000);
    const { todos } = (await user.get<{ todos: ListedTask[] }>(`/api/v2/todo${query}`)).body;
    expect(todos.map(({ id }) => id)).toEqual(ids);
    expect(todos.map(size)).toEqual(ids.map((_, index) => 10 - (index % 10)));
    expect(todos.every(({ tags }) => tags.map(({ name }) => name).join() === 'a,b')).toBe(true);
    expect(todos[9]).toMatchObject({ parentId: ids[8], projectId, projectSectionId: sectionId });
  });

  test('shows the same tree to a list with and without a filter', async () => {
    const { user } = await makeAccount(30);
    await makeTask(user, { title: 'timed', isAllDay: false, dueTime: '2026-11-20T10:00:00.5Z', dueDate: '0999-01-01' });
    const [all, open] = [await user.get('/api/v2/todo'), await user.get('/api/v2/todo?completed=false')];
    expect(all.body).toEqual(open.body);
  });
});
