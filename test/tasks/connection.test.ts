import { beforeAll, describe, expect, test } from '@jest/globals';
import { makeProject, makeSection, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;

beforeAll(async () => {
  service = await sharedService();
});

interface Connection {
  nodes: { id: string; title: string }[];
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  totalCount: number;
}

const query = `query (
  $filter: TaskFilter, $orderBy: TaskOrder, $direction: Direction, $first: Int, $after: String, $last: Int, $before: String
) {
  tasks(filter: $filter, orderBy: $orderBy, direction: $direction, first: $first, after: $after, last: $last, before: $before) {
    nodes { id title }
    edges { cursor node { id } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount
  }
}`;

const list = async (user: User, variables: object = {}) =>
  (await user.data<{ tasks: Connection }>(query, { ...variables })).tasks;

async function problemsOf(user: User, variables: object) {
  const { errors } = await user.graphql(query, { ...variables });
  const [error] = errors ?? [];
  expect(error?.extensions.code).toBe('VALIDATION_FAILED');
  return (error?.extensions['errors'] as { path: string }[]).map(({ path }) => path);
}

const made = (...content: unknown[]) => Buffer.from(JSON.stringify(content)).toString('base64url');
const someId = 'task_01h2xcejqtf2nbrexx3vqjhp41';

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

  test('returns 50 by default, at most 500', async () => {
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
    [{ after: made('SORT_KEY') }, ['after']],
    [{ after: made('SORT_KEY', 'ASC', 'a', someId, 'more') }, ['after']],
    [{ after: made('SORT_KEY', 'ASC', 'a\0', someId) }, ['after']],
    [{ after: made('SORT_KEY', 'ASC', null, someId) }, ['after']],
    [{ after: made('SORT_KEY', 'ASC', 'a', "' OR 1") }, ['after']],
    [{ orderBy: 'TITLE', before: made('TITLE', 'ASC', 'a\0', someId) }, ['before']],
    [{ orderBy: 'TITLE', before: made('TITLE', 'ASC', '\ud800', someId) }, ['before']],
    [{ orderBy: 'PRIORITY', after: made('PRIORITY', 'DESC', 'URGENT', someId) }, ['after']],
    [{ orderBy: 'UPDATED_AT', after: made('UPDATED_AT', 'DESC', null, someId) }, ['after']],
    [{ orderBy: 'CREATED_AT', after: made('CREATED_AT', 'DESC', '+275760-09-13T00:00:00.000Z', someId) }, ['after']],
    [{ orderBy: 'DUE_DATE', after: made('DUE_DATE', 'ASC', '-000001-01-01T00:00:00.000Z', someId) }, ['after']],
  ])('refuses %j', async (args, paths) => {
    expect(await problemsOf(anna, args)).toEqual(paths);
  });

  test("accepts a cursor of the service's format", async () => {
    const page = await list(anna, { after: made('SORT_KEY', 'ASC', ' ', someId) });
    expect(page.nodes).toHaveLength(5);
  });

  const orders = ['SORT_KEY', 'DUE_DATE', 'CREATED_AT', 'COMPLETED_AT', 'UPDATED_AT', 'PRIORITY', 'TITLE'];
  const lists = orders.flatMap((orderBy) => ['ASC', 'DESC'].map((direction) => ({ orderBy, direction })));

  test.each(lists)('refuses cursors of $orderBy $direction in every other order and direction', async (of) => {
    const { startCursor } = (await list(anna, { ...of, first: 1 })).pageInfo;
    for (const other of lists) {
      if (other === of) expect((await list(anna, { ...other, after: startCursor })).nodes).toHaveLength(4);
      else expect(await problemsOf(anna, { ...other, after: startCursor })).toEqual(['after']);
    }
    const other = { ...of, direction: of.direction === 'ASC' ? 'DESC' : 'ASC' };
    expect(await problemsOf(anna, { ...other, before: startCursor })).toEqual(['before']);
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

  test('return the tasks of each by pages, with the total number', async () => {
    const anna = await signUp(service);
    const projects = [await makeProject(anna), await makeProject(anna)];
    for (const [index, { id: projectId }] of projects.entries()) {
      const { id: projectSectionId } = await makeSection(anna, projectId);
      await makeTask(anna, { title: `open ${index}`, projectId });
      const doneTask = await makeTask(anna, { title: `done ${index}`, projectId, projectSectionId });
      await anna.patch(`/api/v2/todo/${doneTask.id}`, { completed: true });
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

  test('are in the requested order and direction, each on separate pages', async () => {
    const anna = await signUp(service);
    const { id: projectId } = await makeProject(anna);
    const { id: projectSectionId } = await makeSection(anna, projectId);
    for (const title of ['b', 'A', 'c']) await makeTask(anna, { title, projectId, projectSectionId });
    const orderedQuery = `query ($id: ID!, $after: String) { project(id: $id) {
      tasks(orderBy: TITLE, direction: DESC, first: 2, after: $after) { nodes { title } pageInfo { endCursor } }
      sections { tasks(orderBy: TITLE) { nodes { title } } }
    } }`;
    interface OrderedTasks {
      project: { tasks: Connection; sections: { tasks: Connection }[] };
    }
    const { project } = await anna.data<OrderedTasks>(orderedQuery, { id: projectId });
    const titlesOf = ({ nodes }: Connection) => nodes.map(({ title }) => title);
    expect(titlesOf(project.tasks)).toEqual(['c', 'b']);
    expect(project.sections.map(({ tasks }) => titlesOf(tasks))).toEqual([['A', 'b', 'c']]);
    const next = await anna.data<OrderedTasks>(orderedQuery, {
      id: projectId,
      after: project.tasks.pageInfo.endCursor,
    });
    expect(titlesOf(next.project.tasks)).toEqual(['A']);
    const { errors } = await anna.graphql(
      'query ($id: ID!, $after: String) { project(id: $id) { tasks(orderBy: TITLE, after: $after) { totalCount } } }',
      { id: projectId, after: project.tasks.pageInfo.endCursor },
    );
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'after' }] } }]);
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
