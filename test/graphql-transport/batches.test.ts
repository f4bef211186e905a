import { beforeAll, describe, expect, test } from '@jest/globals';
import { keysOf, newKey, titlesOf } from '../idempotency/keyed.ts';
import type { Client, GraphqlAnswer } from '../kit/client.ts';
import { makeProject } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp } from '../kit/users.ts';

const createTask = (title: string, key?: string, projectId?: string) => ({
  query: 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { title } }',
  variables: { input: { title, projectId } },
  ...(key !== undefined && { extensions: { idempotencyKey: key } }),
});
const createdTask = (title: string) => ({ data: { createTask: { title } } });
const errorWith = (code: string) => ({ errors: [{ extensions: { code } }] });
const send = (user: Client, operations: unknown[], headers = {}) =>
  user.post<GraphqlAnswer<unknown>[]>('/graphql', operations, { headers });

describe('several operations in one request', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });

  test('are executed in order, each under its key, and later ones see the effects of earlier ones', async () => {
    const user = await signUp(service);
    const keys = Array.from({ length: 50 }, newKey);
    const batch: unknown[] = keys.slice(1).map((key, index) => createTask(`${index}`, key));
    batch.push({ query: '{ tasks(first: 100) { nodes { id } } }' });
    batch.unshift(createTask('first', keys[0]));
    batch.splice(10, 1);
    const titles = await send(user, batch);
    expect(titles).toMatchObject({ status: 200, body: { length: 50 } });
    expect(titles.body.slice(0, 3)).toMatchObject([createdTask('first'), createdTask('0'), createdTask('1')]);
    expect(titles.body[49]).toMatchObject({ data: { tasks: { nodes: { length: 49 } } } });
    expect(await keysOf(service, user)).toEqual(keys.filter((_, index) => index !== 10));
  });

  test('get their first results if they are sent again, together or alone', async () => {
    const user = await signUp(service);
    const batch = ['milk', 'bread'].map((title) => createTask(title, newKey()));
    expect((await send(user, batch)).body).toMatchObject([createdTask('milk'), createdTask('bread')]);
    const replayed = { idempotencyReplayed: true };
    expect((await send(user, [...batch, createTask('salt')])).body).toMatchObject([
      { ...createdTask('milk'), extensions: replayed },
      { ...createdTask('bread'), extensions: replayed },
      createdTask('salt'),
    ]);
    const single = await user.post('/graphql', batch[0]);
    expect([single.body, single.headers.get('idempotency-replayed')]).toMatchObject([createdTask('milk'), 'true']);
    expect(await titlesOf(service, user)).toEqual(['milk', 'bread', 'salt']);
  });

  test('each have their own errors, and the others succeed', async () => {
    const user = await signUp(service);
    const { body } = await send(user, [
      createTask('milk'),
      null,
      { query: '{ nothing }' },
      createTask('', newKey()),
      createTask('bread', 'é'),
      { query: 'subscription { taskChanges { taskId } }' },
      { query: 'mutation { signOut }' },
      createTask('salt'),
    ]);
    const invalid = errorWith('VALIDATION_FAILED');
    expect(body).toMatchObject([
      createdTask('milk'),
      invalid,
      invalid,
      invalid,
      invalid,
      invalid,
      invalid,
      createdTask('salt'),
    ]);
    expect(await titlesOf(service, user)).toEqual(['milk', 'salt']);
  });

  test('use the rights of their caller after the earlier ones', async () => {
    const user = await signUp(service);
    const id = `wksp_${(await makeProject(user)).id.slice(5)}`;
    const { body } = await send(user, [
      { query: `mutation { createWorkspace(id: "${id}", name: "Home") { id } }` },
      { query: `mutation { createProject(workspaceId: "${id}", name: "Garden") { workspaceId } }` },
      { query: '{ viewer { email } }' },
    ]);
    expect(body).toMatchObject([
      { data: { createWorkspace: { id } } },
      { data: { createProject: { workspaceId: id } } },
      { data: { viewer: { email: user.email } } },
    ]);
  });

  test('cannot share a key or be streamed', async () => {
    const user = await signUp(service);
    const batch = [createTask('milk')];
    expect(await send(user, batch, { 'Idempotency-Key': newKey() })).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { errors: [{ path: 'Idempotency-Key' }] } }] },
    });
    expect((await send(user, batch, { Accept: 'text/event-stream' })).status).toBe(406);
    expect(await titlesOf(service, user)).toEqual([]);
  });
});

test('each operation of a request counts, and operations after a retryable error have not happened', async () => {
  const service = await startService({ RATE_LIMITS: 'on', RATE_LIMIT_WRITES: '12/300' });
  const user = await signUp(service);
  const batch = Array.from({ length: 6 }, (_, index) => createTask(`${index}`, newKey()));
  const query = { query: '{ viewer { id } }' };
  expect((await send(user, batch)).body.map(({ errors }) => errors)).toEqual(Array(6).fill(undefined));
  // A session over its limit of writes gets the whole batch refused if it has a mutation.
  expect(await send(user, [query, createTask('milk')])).toMatchObject({ status: 429 });
  expect((await send(user, [query])).body).toMatchObject([{ data: { viewer: { id: user.id } } }]);
  const other = await signUp(service);
  const [first, ...others] = (await send(other, [...batch, createTask('milk'), query, createTask('bread')])).body.slice(
    5,
  );
  expect([first, ...others]).toMatchObject([
    createdTask('5'),
    errorWith('RATE_LIMITED'),
    errorWith('UNAVAILABLE'),
    errorWith('UNAVAILABLE'),
  ]);
  expect(await titlesOf(service, other)).toHaveLength(6);
  await service.close();
});
