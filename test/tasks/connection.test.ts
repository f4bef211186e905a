import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Connection {
  nodes: { id: string; title: string }[];
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  totalCount: number;
}

const query = `query ($filter: TaskFilter, $orderBy: TaskOrder, $first: Int, $after: String, $last: Int, $before: String) {
  tasks(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
    nodes { id title }
    edges { cursor node { id } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount
  }
}`;

const list = async (user: User, variables: object = {}) =>
  (await user.data<{ tasks: Connection }>(query, { ...variables })).tasks;
const titles = async (user: User, variables: object = {}) =>
  (await list(user, variables)).nodes.map(({ title }) => title);

async function problemsOf(user: User, variables: object) {
  const { errors } = await user.graphql(query, { ...variables });
  const [error] = errors ?? [];
  expect(error?.extensions.code).toBe('VALIDATION_FAILED');
  return (error?.extensions['errors'] as { path: string }[]).map(({ path }) => path);
}

describe('tasks(filter)', () => {
  let anna: User;
  let [projectId, sectionId, tagId, otherTagId] = ['', '', '', ''];

  beforeAll(async () => {
    anna = await signUp(service);
    ({ id: projectId } = await makeProject(anna));
    ({ id: sectionId } = await makeSection(anna, projectId));
    [{ id: tagId }, { id: otherTagId }] = [await makeTag(anna), await makeTag(anna)];
    const place = { projectId, projectSectionId: sectionId };
    const parent = await makeTask(anna, { title: 'high', priority: 'high', dueDate: '2026-01-01', tags: [tagId] });
    await makeTask(anna, { title: 'low', priority: 'low', dueDate: '2026-01-02', tags: [tagId, otherTagId] });
    await makeTask(anna, { title: 'sub', parentId: parent.id, dueDate: '2026-01-03' });
    await makeTask(anna, { title: 'in project', projectId });
    const done = await makeTask(anna, { title: 'in section', ...place });
    await anna.patch(`/api/v2/todo/${done.id}`, { completed: true });
    for (const [index, title] of ['high', 'low', 'sub', 'in project', 'in section'].entries()) {
      await service.sql('UPDATE tasks SET sort_key = $1 WHERE title = $2 AND space_id = $3', [
        `k${index}`,
        title,
        anna.id,
      ]);
    }
  });

  test.each<[object, string[]]>([
    [{}, ['high', 'low', 'sub', 'in project', 'in section']],
    [{ completed: true }, ['in section']],
    [{ completed: false }, ['high', 'low', 'sub', 'in project']],
    [{ priority: ['HIGH'] }, ['high']],
    [{ priority: ['LOW', 'HIGH'] }, ['high', 'low']],
    [{ priority: [] }, []],
    [{ dueBefore: '2026-01-02' }, ['high']],
    [{ dueAfter: '2026-01-02' }, ['sub']],
    [{ dueAfter: '2026-01-01', dueBefore: '2026-01-03' }, ['low']],
    [{ hasDueDate: true }, ['high', 'low', 'sub']],
    [{ hasDueDate: false }, ['in project', 'in section']],
    [{ hasDueDate: false, dueAfter: '2026-01-01' }, []],
    [{ hasDueDate: true, dueAfter: '2026-01-02' }, ['sub']],
    [{ projectIds: [] }, []],
    [{ projectIds: ['nonsense'] }, []],
    [{ parentId: 'nonsense' }, []],
    [{ updatedAfter: '9999-12-31T00:00:00Z' }, []],
    [{ updatedAfter: '2026-01-01T00:00:00Z' }, ['high', 'low', 'sub', 'in project', 'in section']],
    [{ topLevel: true }, ['high', 'low', 'in project', 'in section']],
    [{ topLevel: false }, ['sub']],
    [{ completed: null, priority: null, topLevel: null }, ['high', 'low', 'sub', 'in project', 'in section']],
    [{ completed: false, topLevel: true, priority: ['LOW'] }, ['low']],
    [{ projectId: 'nonsense' }, []],
    [{ sectionId: 'nonsense' }, []],
    [{ tagIds: ['nonsense'] }, []],
    [{ tagIds: [] }, []],
  ])('%j', async (filter, expected) => {
    const { nodes, totalCount } = await list(anna, { filter });
    expect(nodes.map(({ title }) => title)).toEqual(expected);
    expect(totalCount).toBe(expected.length);
  });

  test('by project, section and tags', async () => {
    expect(await titles(anna, { filter: { projectId } })).toEqual(['in project', 'in section']);
    expect(await titles(anna, { filter: { sectionId } })).toEqual(['in section']);
    expect(await titles(anna, { filter: { tagIds: [tagId] } })).toEqual(['high', 'low']);
    expect(await titles(anna, { filter: { tagIds: [tagId, otherTagId, 'nonsense'] } })).toEqual(['high', 'low']);
  });

  test('by several projects, and by one of them', async () => {
    const { id: other } = await makeProject(anna);
    await makeTask(anna, { title: 'elsewhere', projectId: other });
    const of = (filter: object) => titles(anna, { filter });
    expect(await of({ projectIds: [other, projectId, 'nonsense'] })).toEqual(['elsewhere', 'in project', 'in section']);
    expect(await of({ projectIds: [other, projectId], projectId: other })).toEqual(['elsewhere']);
    expect(await of({ projectIds: [other], projectId })).toEqual([]);
    await service.sql('DELETE FROM tasks WHERE project_id = $1', [other]);
  });

  test('by their parent: those right below it', async () => {
    const [parent] = (await list(anna, { filter: { priority: ['HIGH'] } })).nodes;
    const [child] = (await list(anna, { filter: { parentId: parent?.id } })).nodes;
    expect(child?.title).toBe('sub');
    const { id } = await makeTask(anna, { title: 'below sub', parentId: child?.id });
    expect(await titles(anna, { filter: { parentId: parent?.id } })).toEqual(['sub']);
    expect(await titles(anna, { filter: { parentId: child?.id } })).toEqual(['below sub']);
    expect(await titles(anna, { filter: { parentId: parent?.id, topLevel: true } })).toEqual([]);
    await anna.delete(`/api/v2/todo/${id}`);
  });

  test('by when they were last changed, to the millisecond, the moment itself excluded', async () => {
    await service.sql(
      `UPDATE tasks SET updated_at = CASE title WHEN 'low' THEN timestamptz '2001-01-01 00:00:00.002Z'
         ELSE '2001-01-01 00:00:00.001Z' END WHERE space_id = $1`,
      [anna.id],
    );
    const after = (updatedAfter: string) => titles(anna, { filter: { updatedAfter } });
    expect(await after('2001-01-01T00:00:00.000Z')).toHaveLength(5);
    expect(await after('2001-01-01T00:00:00.001Z')).toEqual(['low']);
    expect(await after('2001-01-01T01:00:00.001+01:00')).toEqual(['low']);
    expect(await after('2001-01-01T00:00:00.002Z')).toEqual([]);
  });

  test("shows nothing of another account's, whatever the filter names", async () => {
    const ben = await signUp(service);
    for (const filter of [{}, { projectId }, { projectIds: [projectId] }, { sectionId }, { tagIds: [tagId] }]) {
      expect(await list(ben, { filter })).toMatchObject({ nodes: [], totalCount: 0 });
    }
    expect(await ben.data('query ($id: ID!) { project(id: $id) { id } }', { id: projectId })).toEqual({
      project: null,
    });
  });
});

describe('tasks(first, after, last, before)', () => {
  let anna: User;
  let all: Connection;

  beforeAll(async () => {
    anna = await signUp(service);
    for (let count = 0; count < 5; count += 1) await makeTask(anna, { title: String(count) });
    all = await list(anna);
  });

  const cursor = (index: number) => all.edges[index]?.cursor;

  test('the whole list is one page', () => {
    expect(all.nodes.map(({ title }) => title)).toEqual(['0', '1', '2', '3', '4']);
    expect(all.edges.map(({ node }) => node.id)).toEqual(all.nodes.map(({ id }) => id));
    const [startCursor, endCursor] = [cursor(0), cursor(4)];
    expect(all.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: false, startCursor, endCursor });
    expect(all.totalCount).toBe(5);
  });

  test.each<[object, number[], boolean, boolean]>([
    [{ first: 2 }, [0, 1], true, false],
    [{ first: 5 }, [0, 1, 2, 3, 4], false, false],
    [{ first: 0 }, [], true, false],
    [{ last: 2 }, [3, 4], false, true],
    [{ last: 0 }, [], false, true],
    [{ first: 2, after: 1 }, [2, 3], true, true],
    [{ first: 2, after: 2 }, [3, 4], false, true],
    [{ first: 9, after: 4 }, [], false, true],
    [{ last: 2, before: 3 }, [1, 2], true, true],
    [{ last: 2, before: 2 }, [0, 1], true, false],
    [{ first: 9, after: 0, before: 3 }, [1, 2], false, true],
    [{ last: 1, after: 0, before: 3 }, [2], true, true],
    [{ first: 1, after: 0, before: 3 }, [1], true, true],
    [{ after: 3 }, [4], false, true],
  ])('%j', async (args: { after?: number; before?: number }, expected, hasNextPage, hasPreviousPage) => {
    const { after, before, ...size } = args;
    const cursors = {
      ...(after !== undefined && { after: cursor(after) }),
      ...(before !== undefined && { before: cursor(before) }),
    };
    const page = await list(anna, { ...size, ...cursors });
    expect(page.nodes).toEqual(expected.map((index) => all.nodes[index]));
    expect(page.pageInfo).toMatchObject({ hasNextPage, hasPreviousPage });
    expect(page.totalCount).toBe(5);
  });

  test('gives 50 where no size is given, 500 at the most', async () => {
    const ben = await signUp(service);
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
       SELECT format('task_0%s%s', right($1, 19), lpad(n::text, 6, '0')), $1, id, n, lpad(n::text, 6, '0')
       FROM generate_series(1, 600) AS n, projects WHERE space_id = $1`,
      [ben.id],
    );
    const page = await list(ben);
    expect([page.nodes.length, page.totalCount, page.pageInfo.hasNextPage]).toEqual([50, 600, true]);
    expect((await list(ben, { first: 500 })).nodes).toHaveLength(500);
    expect((await list(ben, { last: 500 })).nodes[0]?.title).toBe('101');
  });

  test.each<[object, string[]]>([
    [{ first: 1, last: 1 }, ['last']],
    [{ first: -1 }, ['first']],
    [{ first: 501 }, ['first']],
    [{ last: -1 }, ['last']],
    [{ last: 501 }, ['last']],
    [{ after: 'garbage' }, ['after']],
    [{ before: '' }, ['before']],
    [{ after: Buffer.from('["SORT_KEY"]').toString('base64url') }, ['after']],
    [
      { after: Buffer.from('["SORT_KEY","a\\u0000","task_01h2xcejqtf2nbrexx3vqjhp41"]').toString('base64url') },
      ['after'],
    ],
    [{ after: Buffer.from('["SORT_KEY","a","\' OR 1"]').toString('base64url') }, ['after']],
    [
      {
        orderBy: 'CREATED_AT',
        after: Buffer.from('["CREATED_AT","+275760-09-13T00:00:00.000Z","task_01h2xcejqtf2nbrexx3vqjhp41"]').toString(
          'base64url',
        ),
      },
      ['after'],
    ],
    [
      {
        orderBy: 'DUE_DATE',
        after: Buffer.from('["DUE_DATE","-000001-01-01T00:00:00.000Z","task_01h2xcejqtf2nbrexx3vqjhp41"]').toString(
          'base64url',
        ),
      },
      ['after'],
    ],
  ])('refuses %j', async (args, paths) => {
    expect(await problemsOf(anna, args)).toEqual(paths);
  });

  test('refuses a cursor of another order', async () => {
    expect(await problemsOf(anna, { after: cursor(1), orderBy: 'DUE_DATE' })).toEqual(['after']);
  });
});

describe('Project.tasks and Section.tasks', () => {
  const lists = `query ($filter: TaskFilter, $first: Int, $after: String) {
    projects(personal: true) {
      id
      tasks(filter: $filter, first: $first, after: $after) { nodes { title } pageInfo { hasNextPage endCursor } totalCount }
      sections { id tasks(filter: $filter, first: $first) { nodes { title } totalCount } }
    }
  }`;
  interface Lists {
    projects: {
      id: string;
      tasks: Connection;
      sections: { id: string; tasks: Connection }[];
    }[];
  }

  test('give the tasks of each, page by page, with the number of all', async () => {
    const anna = await signUp(service);
    const projects = [await makeProject(anna), await makeProject(anna)];
    for (const [index, { id: projectId }] of projects.entries()) {
      const { id: projectSectionId } = await makeSection(anna, projectId);
      await makeTask(anna, { title: `open ${index}`, projectId });
      const done = await makeTask(anna, { title: `done ${index}`, projectId, projectSectionId });
      await anna.patch(`/api/v2/todo/${done.id}`, { completed: true });
      await makeTask(anna, { title: `in section ${index}`, projectId, projectSectionId });
    }
    const found = await anna.data<Lists>(lists, { first: 2 });
    const [inbox, first, second] = found.projects;
    expect(inbox?.tasks).toMatchObject({ nodes: [], totalCount: 0, pageInfo: { hasNextPage: false } });
    for (const [index, project] of [first, second].entries()) {
      expect(project?.tasks).toMatchObject({
        nodes: [{ title: `open ${index}` }, { title: `done ${index}` }],
        totalCount: 3,
        pageInfo: { hasNextPage: true },
      });
      const inSection = [{ title: `done ${index}` }, { title: `in section ${index}` }];
      expect(project?.sections).toMatchObject([{ tasks: { nodes: inSection, totalCount: 2 } }]);
    }
    const open = await anna.data<Lists>(lists, { filter: { completed: false } });
    expect(open.projects.map(({ tasks }) => tasks.totalCount)).toEqual([0, 2, 2]);
    const next = await anna.data<Lists>(lists, { first: 2, after: first?.tasks.pageInfo.endCursor });
    expect(next.projects[1]?.tasks.nodes).toEqual([{ title: 'in section 0' }]);
  });

  test('show the tasks of all members of a workspace', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna, ben);
    const { id: projectId } = await makeProject(anna, { workspaceId: workspace.id });
    await makeTask(anna, { title: 'hers', projectId });
    await makeTask(ben, { title: 'his', projectId });
    const shared = 'query ($id: ID!) { project(id: $id) { tasks { nodes { title } totalCount } } }';
    const tasks = { nodes: [{ title: 'hers' }, { title: 'his' }], totalCount: 2 };
    for (const user of [anna, ben]) expect(await user.data(shared, { id: projectId })).toEqual({ project: { tasks } });
  });
});
