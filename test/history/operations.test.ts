import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, type GraphqlAnswer } from '../kit/client.ts';
import { makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { fieldOf } from '../../src/history/diffs.ts';
import { newKey, withKey } from '../idempotency/keyed.ts';

let service: Service;
let anna: User;
let ben: User;
const origin = 'https://pages.example.com';
beforeAll(async () => {
  service = await startService({ CORS_ORIGINS: origin });
  [anna, ben] = [await signUp(service), await signUp(service)];
});
afterAll(() => service.close());

const operationId = /^op_[0-7][0-9a-hjkmnp-tv-z]{9}[ef]..[89abrstv][0-9a-hjkmnp-tv-z]{12}$/;
const idOf = ({ headers }: Answer<unknown>) => headers.get('x-operation-id');

const writtenOperations = async (id: string | null) => {
  const operations = await service.sql<{ space: string; actor: string; client: string }>(
    'SELECT space_id AS space, actor_id AS actor, client FROM operations WHERE id = $1 ORDER BY 1',
    [id],
  );
  const changes = await service.sql<{ type: string; kind: string }>(
    'SELECT type, kind FROM changes WHERE operation_id = $1 ORDER BY 1, 2',
    [id],
  );
  return { operations, changes: changes.map(({ type, kind }) => `${type} ${kind}`) };
};

describe('a write is an operation', () => {
  test('over REST, and the header names it', async () => {
    const id = idOf(await anna.post('/api/v2/todo', { title: 'milk' }));
    expect(id).toMatch(operationId);
    const { operations, changes } = await writtenOperations(id);
    expect(operations).toEqual([{ space: anna.id, actor: anna.id, client: expect.any(String) }]);
    expect(changes).toEqual(['TASK CREATED']);
  });

  test.each<[string, (user: User) => Promise<[method: string, path: string, body?: object]>]>([
    [
      'for a new section',
      async (user) => ['POST', `/api/v2/projects/${(await makeProject(user)).id}/sections`, { name: 'a' }],
    ],
    ['for a new tag', () => Promise.resolve(['POST', '/api/v2/tag', { name: newKey() }])],
    [
      'for a bulk update',
      async (user) => ['PATCH', `/api/v2/todo/bulk?todoIds=${(await makeTask(user)).id}`, { completed: true }],
    ],
    ['for a deleted project', async (user) => ['DELETE', `/api/v2/projects/${(await makeProject(user)).id}`]],
    ['for a new name', () => Promise.resolve(['PUT', '/api/v1/user/name', { name: newKey() }])],
  ])('%s', async (_name, of) => {
    const [method, path, body] = await of(anna);
    const id = idOf(await anna.send(method, path, body));
    expect(id).toMatch(operationId);
    expect((await writtenOperations(id)).operations).toMatchObject([{ actor: anna.id }]);
  });

  test('which is a node for callers that may see it', async () => {
    const id = idOf(await anna.post('/api/v2/todo', { title: 'milk' }));
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Operation { summary } } }';
    const found = await anna.data(query, { ids: [id, anna.id] });
    expect(found).toEqual({ nodes: [{ id, summary: expect.stringContaining('1 task') }, { id: anna.id }] });
    expect(await ben.data(query, { ids: [id] })).toEqual({ nodes: [null] });
  });

  test('which counts once on a page of the history, however many changes it has', async () => {
    const [one, other] = [await makeTag(anna), await makeTag(anna)];
    const { id } = await makeTask(anna, { tags: [one.id] });
    for (let round = 0; round < 4; round += 1) {
      await anna.patch(`/api/v2/todo/${id}`, { title: `turn ${round}`, tags: [round % 2 === 0 ? other.id : one.id] });
    }
    const query = `query ($id: ID!, $after: String) { task(id: $id) {
      history(first: 3, after: $after) { nodes { operation { id } } pageInfo { hasNextPage endCursor } }
    } }`;
    interface Page {
      task: { history: { nodes: unknown[]; pageInfo: { hasNextPage: boolean; endCursor: string } } };
    }
    const first = (await anna.data<Page>(query, { id })).task.history;
    expect(first).toMatchObject({ nodes: { length: 3 }, pageInfo: { hasNextPage: true } });
    const last = (await anna.data<Page>(query, { id, after: first.pageInfo.endCursor })).task.history;
    expect(last).toMatchObject({ nodes: { length: 2 }, pageInfo: { hasNextPage: false } });
  });

  test('which is read again for each mutation of a document', async () => {
    const { id } = await makeTask(anna);
    const { one, other } = await anna.data<Record<'one' | 'other', { history: { nodes: object[] } }>>(
      `mutation ($id: ID!) {
        one: updateTask(id: $id, input: { title: "one" }) { history(first: 1) { nodes { fields { after } } } }
        other: updateTask(id: $id, input: { title: "other" }) { history(first: 1) { nodes { fields { after } } } }
      }`,
      { id },
    );
    expect([one, other].map(({ history }) => history.nodes)).toEqual(
      ['one', 'other'].map((after) => [{ fields: [{ after }] }]),
    );
  });

  test('and its list refuses a cursor of another kind of list', async () => {
    const { id } = await makeTask(anna);
    await anna.delete(`/api/v2/todo/${id}`);
    const lists = {
      operations: 'operations(first: 1, after: $after) { pageInfo { endCursor } }',
      trash: 'trash(first: 1, after: $after) { pageInfo { endCursor } }',
    };
    type List = keyof typeof lists;
    const read = (list: List, after?: string) =>
      anna.graphql<Record<List, { pageInfo: { endCursor: string } }>>(`query ($after: String) { ${lists[list]} }`, {
        after,
      });
    for (const [list, other] of [
      ['operations', 'trash'],
      ['trash', 'operations'],
    ] as const) {
      const { data } = await read(other);
      const { errors } = await read(list, data?.[other].pageInfo.endCursor);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path: 'after' }] });
    }
  });

  test('and its changes refuse a cursor of another operation', async () => {
    const ids = [
      idOf(await anna.post('/api/v2/todo', { title: 'a' })),
      idOf(await anna.post('/api/v2/todo', { title: 'b' })),
    ];
    const query = `query ($id: ID!, $after: String) { operation(id: $id) { changes(first: 1, after: $after) { pageInfo { endCursor } } } }`;
    type Page = { operation: { changes: { pageInfo: { endCursor: string } } } };
    const { endCursor } = (await anna.data<Page>(query, { id: ids[0] })).operation.changes.pageInfo;
    const { errors } = await anna.graphql(query, { id: ids[1], after: endCursor });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ path: 'after' }] });
  });

  test('with a summary that counts a task once, even if its tags were changed as well', async () => {
    const tag = await makeTag(anna);
    const tasks = [await makeTask(anna), await makeTask(anna)];
    const [one = '', two = ''] = tasks.map(({ id }) => id);
    const twice = `mutation { a: updateTask(id: "${one}", input: { title: "a" }) { id } b: updateTask(id: "${one}", input: { title: "b" }) { id } }`;
    const changes = [
      await anna.patch(`/api/v2/todo/${one}`, { title: 'Letter', tags: [tag.id] }),
      await anna.patch(`/api/v2/todo/${one}`, { completed: true, tags: [] }),
      await anna.patch(`/api/v2/todo/bulk?todoIds=${one},${two}`, { priority: 'high', tags: [tag.id] }),
      await anna.patch(`/api/v2/todo/${one}`, { tags: [] }),
      await anna.post('/graphql', { query: twice }, withKey(newKey())),
    ];
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Operation { summary } } }';
    const { nodes } = await anna.data<{ nodes: { summary: string }[] }>(query, { ids: changes.map(idOf) });
    expect(nodes.map(({ summary }) => summary)).toEqual([
      'Changed 1 task',
      'Completed 1 task',
      'Changed 2 tasks',
      'Changed the tags of 1 task',
      'Changed 1 task',
    ]);
  });

  test('with a summary, however long the description of the task is', async () => {
    const long = 'x'.repeat(16_000);
    const { id } = await makeTask(anna, { title: 'Letter', description: 'short' });
    const summaryOf = async (operation: string | null) =>
      (
        await anna.data<{ operation: { summary: string } }>('query ($id: ID!) { operation(id: $id) { summary } }', {
          id: operation,
        })
      ).operation.summary;
    expect(await summaryOf(idOf(await anna.patch(`/api/v2/todo/${id}`, { description: long })))).toBe('Changed 1 task');
    expect(
      await summaryOf(idOf(await anna.patch(`/api/v2/todo/${id}`, { completed: true, description: 'short' }))),
    ).toBe('Completed 1 task');
    await anna.patch(`/api/v2/todo/${id}`, { description: long });
    expect(await summaryOf(idOf(await anna.delete(`/api/v2/todo/${id}`)))).toBe('Deleted task Letter');
  });

  test('unless it changes nothing', async () => {
    const { id } = await makeTask(anna, { title: 'same' });
    expect(idOf(await anna.patch(`/api/v2/todo/${id}`, { title: 'same' }))).toBeNull();
    expect(idOf(await anna.get('/api/v2/todo'))).toBeNull();
    expect(idOf(await anna.delete(`/api/v2/todo/task_${'0'.repeat(26)}`))).toBeNull();
  });

  test.each([
    ['TAG', 'mutation { a: createTag(name: "x1") { id } b: createTag(name: "x2") { id } }'],
    ['TASK', 'mutation { a: createTask(input: { title: "x1" }) { id } b: createTask(input: { title: "x2" }) { id } }'],
  ])('for each of several mutations, and one for all under a key: %s', async (type, query) => {
    type Extended = GraphqlAnswer<object> & { extensions: { operationId: string; operationIds?: string[] } };
    const several = await anna.post<Extended>('/graphql', { query });
    const { extensions } = several.body;
    expect(extensions.operationIds).toHaveLength(2);
    expect([...(extensions.operationIds ?? [])].sort()).toEqual(extensions.operationIds);
    expect(extensions.operationId).toBe(extensions.operationIds?.[1]);
    expect(idOf(several)).toBe(extensions.operationId);
    const key = newKey();
    const keyed = () => anna.post<Extended>('/graphql', { query: query.replaceAll('"x', '"y') }, withKey(key));
    const first = await keyed();
    expect(first.body.extensions).toEqual({ operationId: expect.stringMatching(operationId) });
    expect((await writtenOperations(first.body.extensions.operationId)).changes).toEqual([
      `${type} CREATED`,
      `${type} CREATED`,
    ]);
    const repeated = await keyed();
    expect(repeated.body).toEqual(first.body);
    expect(idOf(repeated)).toBe(idOf(first));
  });

  test('and a replayed REST response has the id of the first one', async () => {
    const key = newKey();
    const ask = () => anna.post('/api/v2/todo', { title: 'once' }, withKey(key));
    const [first, repeated] = [await ask(), await ask()];
    expect(idOf(first)).toMatch(operationId);
    expect(idOf(repeated)).toBe(idOf(first));
  });

  test('in several spaces', async () => {
    const { id: workspace } = await makeWorkspace(anna, ben);
    const project = await makeProject(anna, { workspaceId: workspace });
    const task = await makeTask(anna);
    const id = idOf(await anna.patch(`/api/v2/todo/${task.id}`, { projectId: project.id }));
    const { operations, changes } = await writtenOperations(id);
    expect(operations.map(({ space }) => space)).toEqual([anna.id, workspace].sort());
    expect(changes).toEqual(['TASK CREATED', 'TASK DELETED']);
  });

  test('without an actor if it is direct SQL', async () => {
    const { id } = await makeTask(anna);
    await service.sql(`UPDATE tasks SET title = 'by hand' WHERE id = $1`, [id]);
    const [row] = await service.sql<{ id: string }>(
      `SELECT operation_id AS id FROM changes WHERE $1 = ANY (entity_ids) AND kind = 'UPDATED'`,
      [id],
    );
    expect((await writtenOperations(row?.id ?? '')).operations).toEqual([
      { space: anna.id, actor: null, client: null },
    ]);
  });

  test('which the change log and its subscribers name', async () => {
    const { cursor } = (await anna.get<{ cursor: string }>('/api/v2/changes')).body;
    const id = idOf(await anna.post('/api/v2/todo', { title: 'bread' }));
    const { body } = await anna.get<{ changes: { operationId: string }[] }>(
      `/api/v2/changes?after=${encodeURIComponent(cursor)}`,
    );
    expect(body.changes).toMatchObject([{ operationId: id }]);
  });

  test('and pages of allowed origins can read the header', async () => {
    const { headers } = await anna.get('/api/v2/todo', { headers: { Origin: origin } });
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-expose-headers')).toContain('X-Operation-Id');
  });
});

describe('images in the history', () => {
  const images = (id: string | null) =>
    service.sql<{ type: string; kind: string; ids: string[]; images: string[] | null }>(
      'SELECT type, kind, entity_ids AS ids, images FROM history WHERE operation_id = $1 ORDER BY position',
      [id],
    );

  test('have the changed columns of an update, in one row', async () => {
    const ids = [(await makeTask(anna)).id, (await makeTask(anna, { completed: true })).id, (await makeTask(anna)).id];
    const answer = await anna.patch(`/api/v2/todo/bulk?todoIds=${ids.join(',')}`, { priority: 'high' });
    const rows = await images(idOf(answer));
    expect(rows).toHaveLength(1);
    expect([...(rows[0]?.ids ?? [])].sort()).toEqual([...ids].sort());
    expect(rows[0]?.images?.map((image) => JSON.parse(image) as object)).toEqual(
      ids.map(() => ({ priority: [null, 'HIGH'] })),
    );
  });

  test('have the rows of a deletion, and the tags of the tasks', async () => {
    const project = await makeProject(anna, { name: 'Garden' });
    const section = await makeSection(anna, project.id);
    const tag = await makeTag(anna);
    const parent = await makeTask(anna, { projectId: project.id, projectSectionId: section.id, tags: [tag.id] });
    const child = await makeTask(anna, { projectId: project.id, parentId: parent.id });
    const rows = await images(idOf(await anna.delete(`/api/v2/projects/${project.id}`)));
    const rowsOf = (type: string, kind: string) => rows.filter((row) => row.type === type && row.kind === kind);
    expect(
      rowsOf('TASK', 'DELETED')
        .flatMap(({ ids }) => ids)
        .sort(),
    ).toEqual([parent.id, child.id].sort());
    expect(rowsOf('PROJECT', 'DELETED')[0]?.images?.map((image) => JSON.parse(image) as object)).toMatchObject([
      { name: 'Garden', view_mode: null },
    ]);
    expect(rowsOf('SECTION', 'DELETED')).toMatchObject([{ ids: [section.id] }]);
    expect(rows.flatMap(({ images }) => images ?? []).join()).toContain(`{"tags" : {"removed" : ["${tag.id}"]`);
  });
});

test('SQL names the fields of columns in the log as the history does', async () => {
  const columns = await service.sql<{ name: string; field: string }>(
    "SELECT DISTINCT column_name AS name, field_of_column(column_name) AS field FROM information_schema.columns WHERE table_schema = 'public'",
  );
  expect(columns.length).toBeGreaterThan(50);
  expect(columns.map(({ name }) => fieldOf(name))).toEqual(columns.map(({ field }) => field));
});
