import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeProject, makeTag, makeTask, makeWorkspace, type RestTag } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;

beforeAll(async () => {
  service = await sharedService();
  ben = await signUp(service);
});
beforeEach(async () => {
  anna = await signUp(service);
});

const failure = (code: string, path?: string) => ({
  errors: [{ message: expect.any(String), extensions: { code, ...(path !== undefined && { errors: [{ path }] }) } }],
});
const unknownId = 'tag_01h2xcejqtf2nbrexx3vqjhp41';

interface TagList {
  tags: { id: string; name: string; taskCount: number }[];
}

describe('tag', () => {
  const find = 'query ($id: ID!) { tag(id: $id) { name taskCount } }';

  test("is the viewer's tag with that id, and null for any other id", async () => {
    const { id } = await makeTag(anna, { name: 'garden' });
    await makeTask(anna, { tags: [id] });
    expect(await anna.data(find, { id })).toEqual({ tag: { name: 'garden', taskCount: 1 } });
    for (const other of [(await makeTag(ben)).id, unknownId, anna.id, 'nonsense']) {
      expect(await anna.data(find, { id: other })).toEqual({ tag: null });
    }
  });

  test('of another member stays private, also on a shared task', async () => {
    const workspace = await makeWorkspace(ben, anna);
    const { id: projectId } = await makeProject(ben, { workspaceId: workspace.id });
    const { id } = await makeTag(ben);
    await makeTask(ben, { projectId, tags: [id] });
    expect(await anna.data(find, { id })).toEqual({ tag: null });
  });
});

describe('Tag.tasks', () => {
  const taggedQuery = `query ($filter: TaskFilter, $first: Int, $after: String) {
    tags { name tasks(filter: $filter, first: $first, after: $after) { nodes { title } totalCount pageInfo { endCursor } } }
  }`;
  interface TaggedTasks {
    tags: {
      name: string;
      tasks: { nodes: { title: string }[]; totalCount: number; pageInfo: { endCursor: string } };
    }[];
  }
  const read = async (variables: object = {}) => {
    const { tags } = await anna.data<TaggedTasks>(taggedQuery, { ...variables });
    return tags.map(({ name, tasks }) => [name, tasks.nodes.map(({ title }) => title), tasks.totalCount]);
  };

  test('are the tasks of each tag by sort key, on pages with the total number', async () => {
    const [a, b] = [await makeTag(anna, { name: 'a' }), await makeTag(anna, { name: 'b' })];
    await makeTag(anna, { name: 'none' });
    await makeTask(anna, { title: 'without' });
    await makeTask(anna, { title: 'first', tags: [a.id] });
    const parent = await makeTask(anna, { title: 'second', tags: [a.id, b.id] });
    const third = await makeTask(anna, { title: 'third', tags: [a.id], parentId: parent.id });
    await anna.patch(`/api/v2/todo/${third.id}`, { completed: true });
    expect(await read()).toEqual([
      ['a', ['first', 'second', 'third'], 3],
      ['b', ['second'], 1],
      ['none', [], 0],
    ]);
    expect(await read({ filter: { completed: false }, first: 1 })).toEqual([
      ['a', ['first'], 2],
      ['b', ['second'], 1],
      ['none', [], 0],
    ]);
    const page = await anna.data<TaggedTasks>(taggedQuery, { first: 2 });
    expect(await read({ after: page.tags[0]?.tasks.pageInfo.endCursor })).toEqual([
      ['a', ['third'], 3],
      ['b', [], 1],
      ['none', [], 0],
    ]);
  });

  test('include tasks of workspaces while the viewer can see them', async () => {
    const workspace = await makeWorkspace(ben, anna);
    const { id: projectId } = await makeProject(anna, { workspaceId: workspace.id });
    const tag = await makeTag(anna, { name: 'a' });
    const task = await makeTask(anna, { title: 'shared', tags: [tag.id], projectId });
    expect(await read()).toEqual([['a', ['shared'], 1]]);
    await ben.patch(`/api/v2/todo/${task.id}`, { projectId: null });
    expect(await read()).toEqual([['a', [], 0]]);
    // Even a remaining tag would not show it. Another query avoids the cached response, which such a row does not
    // change.
    await service.sql('INSERT INTO task_tags (task_id, tag_id, space_id) VALUES ($1, $2, $3)', [
      task.id,
      tag.id,
      anna.id,
    ]);
    expect(await read({ first: 5 })).toEqual([['a', [], 0]]);
  });

  test('refuse the same arguments as other lists of tasks', async () => {
    await makeTag(anna);
    for (const [variables, path] of [
      [{ first: 501 }, 'first'],
      [{ after: 'garbage' }, 'after'],
    ] as const) {
      expect(await anna.graphql(taggedQuery, variables)).toMatchObject(failure('VALIDATION_FAILED', path));
    }
  });
});

describe('tags', () => {
  const list = 'query ($search: String, $ids: [ID!]) { tags(search: $search, ids: $ids) { name taskCount } }';
  const namesOf = async (variables: object) =>
    (await anna.data<TagList>(list, { ...variables })).tags.map(({ name }) => name);

  test('are filtered by a search and by ids, and an empty list of ids matches none', async () => {
    const [a, b] = [await makeTag(anna, { name: 'a' }), await makeTag(anna, { name: 'b' })];
    const foreign = await makeTag(ben);
    expect(await namesOf({})).toEqual(['a', 'b']);
    expect(await namesOf({ search: null, ids: null })).toEqual(['a', 'b']);
    expect(await namesOf({ search: 'B' })).toEqual(['b']);
    expect(await namesOf({ ids: [b.id, b.id, foreign.id, unknownId, 'nonsense'] })).toEqual(['b']);
    expect(await namesOf({ ids: [a.id], search: 'b' })).toEqual([]);
    expect(await namesOf({ ids: [] })).toEqual([]);
    expect(await anna.graphql(list, { search: 'a\0' })).toMatchObject(failure('VALIDATION_FAILED', 'search'));
  });

  test('count only the tasks that the viewer can see', async () => {
    const workspace = await makeWorkspace(ben, anna);
    const shared = await makeProject(anna, { workspaceId: workspace.id });
    const tag = await makeTag(anna);
    await makeTask(anna, { tags: [tag.id] });
    const task = await makeTask(anna, { tags: [tag.id], projectId: shared.id });
    expect((await anna.data<TagList>(list)).tags).toMatchObject([{ taskCount: 2 }]);
    // Another member moves the task out of the tagger's sight.
    await ben.patch(`/api/v2/todo/${task.id}`, { projectId: null });
    expect((await anna.data<TagList>(list)).tags).toMatchObject([{ taskCount: 1 }]);
  });

  test('are read with their counts by one statement', async () => {
    const tags: RestTag[] = [await makeTag(anna), await makeTag(anna), await makeTag(anna)];
    for (const { id } of tags) await makeTask(anna, { tags: [id] });
    const { own, result } = await recordStatements(() => anna.data<TagList>(list));
    expect(result.tags.map(({ taskCount }) => taskCount)).toEqual([1, 1, 1]);
    expect(own).toHaveLength(1);
  });

  test('need a session', async () => {
    for (const query of ['{ tags { id } }', '{ tagCount }', 'mutation { createTag(name: "a") { id } }']) {
      expect(await service.anonymous.graphql(query)).toMatchObject(failure('UNAUTHENTICATED'));
    }
  });

  test('are seen only by their owner, as nodes and on shared tasks', async () => {
    const shared = await makeProject(ben, { workspaceId: (await makeWorkspace(ben, anna)).id });
    const [own, foreign] = [await makeTag(anna), await makeTag(ben)];
    const task = await makeTask(ben, { projectId: shared.id, tags: [foreign.id] });
    await anna.patch(`/api/v2/todo/${task.id}`, { tags: [own.id] });
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Task { tags { id } } } }';
    const ids = [task.id, own.id, foreign.id];
    expect(await anna.data(query, { ids })).toEqual({
      nodes: [{ id: task.id, tags: [{ id: own.id }] }, { id: own.id }, null],
    });
    expect(await ben.data(query, { ids })).toEqual({
      nodes: [{ id: task.id, tags: [{ id: foreign.id }] }, null, { id: foreign.id }],
    });
  });
});

describe('createTag', () => {
  const create =
    'mutation ($name: String!, $color: TagColor) { createTag(name: $name, color: $color) { id name color } }';

  test('chooses a colour by default', async () => {
    const tag = { id: expect.stringMatching(/^tag_/), name: 'a', color: expect.stringMatching(/^[A-Z]+$/) };
    expect(await anna.data(create, { name: ' a ' })).toEqual({ createTag: tag });
    expect(await anna.data(create, { name: 'b', color: null })).toMatchObject({ createTag: { name: 'b' } });
    expect(await anna.data(create, { name: 'c', color: 'PINK' })).toMatchObject({ createTag: { color: 'PINK' } });
    expect(await anna.data('{ tagCount }')).toEqual({ tagCount: 3 });
  });

  test('refuses an existing name, at the name', async () => {
    await makeTag(anna, { name: 'a' });
    expect(await anna.graphql(create, { name: 'a' })).toMatchObject(failure('VALIDATION_FAILED', 'name'));
    expect(await anna.graphql(create, { name: '' })).toMatchObject(failure('VALIDATION_FAILED', 'name'));
  });
});

describe('updateTag', () => {
  const update =
    'mutation ($id: ID!, $name: String, $color: TagColor) { updateTag(id: $id, name: $name, color: $color) { name color } }';

  test('changes the given fields, and null keeps the value', async () => {
    const { id } = await makeTag(anna, { name: 'a', color: 'red' });
    expect(await anna.data(update, { id, name: 'b', color: null })).toEqual({ updateTag: { name: 'b', color: 'RED' } });
    expect(await anna.data(update, { id, color: 'BLUE', name: null })).toEqual({
      updateTag: { name: 'b', color: 'BLUE' },
    });
    expect(await anna.graphql(update, { id })).toMatchObject(failure('VALIDATION_FAILED', ''));
  });

  test('is NOT_FOUND for unknown tags and tags of others', async () => {
    for (const id of [unknownId, 'nonsense', (await makeTag(ben)).id]) {
      expect(await anna.graphql(update, { id, name: 'a' })).toMatchObject(failure('NOT_FOUND'));
    }
  });
});

describe('deleteTags', () => {
  const remove = 'mutation ($ids: [ID!]!) { deleteTags(ids: $ids) { count deletedIds } }';

  test("deletes and counts only the viewer's tags, each once", async () => {
    const [own, foreign] = [await makeTag(anna), await makeTag(ben)];
    expect(await anna.data(remove, { ids: [own.id, own.id, foreign.id, unknownId, 'nonsense'] })).toEqual({
      deleteTags: { count: 1, deletedIds: [own.id] },
    });
    expect(await anna.data(remove, { ids: [own.id] })).toEqual({ deleteTags: { count: 0, deletedIds: [] } });
    expect(await anna.data(remove, { ids: [] })).toEqual({ deleteTags: { count: 0, deletedIds: [] } });
    expect(await ben.data('query ($id: ID!) { node(id: $id) { id } }', { id: foreign.id })).toEqual({
      node: { id: foreign.id },
    });
  });

  test('succeeds during other writes of the same tags', async () => {
    const tags = await Promise.all(Array.from({ length: 5 }, () => makeTag(anna)));
    const ids = tags.map(({ id }) => id);
    const answers = await Promise.all([
      ...ids.map((id) => anna.patch(`/api/v2/tag/${id}`, { name: `renamed ${id}` })),
      ...ids.map(() => anna.delete(`/api/v2/tag/bulk?tagIds=${ids.join(',')}`)),
    ]);
    for (const { status } of answers) expect([200, 404]).toContain(status);
    expect(await anna.data('{ tagCount }')).toEqual({ tagCount: 0 });
  });
});
