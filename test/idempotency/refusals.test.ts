import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Socket } from '../changes/stream.ts';
import { type LockHolder, lockSpaces, untilWaiting } from '../kit/locks.ts';
import { makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp } from '../kit/users.ts';
import { isReplayed, keysOf, mutate, newKey, titlesOf, withKey } from './keyed.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

let lockHolder: LockHolder | undefined;
afterEach(() => lockHolder?.release());

const create = 'mutation ($title: String!) { createTask(input: { title: $title }) { id } }';
const codeOf = (code: string) => ({ errors: [{ extensions: { code } }] });

describe('a key of another request is 422', () => {
  test('over REST: method, path, query and body identify the request', async () => {
    const [anna, key] = [await signUp(service), newKey()];
    const task = await makeTask(anna, { title: 'old' });
    const path = `/api/v2/todo/${task.id}`;
    expect((await anna.patch(path, { title: 'new' }, withKey(key))).status).toBe(200);
    const others = [
      await anna.patch(path, { title: 'newer' }, withKey(key)),
      await anna.patch(`${path}?x=1`, { title: 'new' }, withKey(key)),
      await anna.delete(path, undefined, withKey(key)),
      await anna.post('/api/v2/todo', { title: 'new' }, withKey(key)),
    ];
    for (const other of others) expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    expect(await titlesOf(service, anna)).toEqual(['new']);
  });

  test('over GraphQL: document, variables and operation name identify the request', async () => {
    const [anna, key] = [await signUp(service), newKey()];
    const variables = { title: 'milk' };
    await mutate(anna, create, { key, variables });
    const twoOperations = `${create.replace('mutation', 'mutation A')} ${create.replace('mutation', 'mutation B')}`;
    const runOperation = (operationName: string, own: string) =>
      anna.post('/graphql', { query: twoOperations, variables, operationName }, withKey(own));
    const other = newKey();
    expect([await runOperation('A', other), await runOperation('B', other)].map(({ status }) => status)).toEqual([
      200, 422,
    ]);
    const answers = [
      await mutate(anna, create, { key, variables: { title: 'bread' } }),
      await mutate(anna, create.replace('{ id }', '{ title }'), { key, variables }),
      await anna.post('/api/v2/todo', { title: 'milk' }, withKey(key)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422]);
    expect(answers[0]?.body).toMatchObject(codeOf('IDEMPOTENCY_KEY_REUSED'));
    const socket = await Socket.ready(service.url, anna.cookie);
    expect(await socket.run(create, { title: 'bread' }, { idempotencyKey: key })).toMatchObject({
      payload: codeOf('IDEMPOTENCY_KEY_REUSED'),
    });
    socket.close();
    expect(await titlesOf(service, anna)).toEqual(['milk', 'milk']);
  });
});

describe('a key that is in use is 409, with Retry-After', () => {
  test('in the same process, over every transport', async () => {
    const [anna, key] = [await signUp(service), newKey()];
    lockHolder = await lockSpaces(service, anna.id);
    const first = anna.post('/api/v2/todo', { title: 'milk' }, withKey(key));
    await untilWaiting(service, 1);
    const again = await anna.post('/api/v2/todo', { title: 'milk' }, withKey(key));
    expect(again).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_IN_USE' } });
    expect(again.headers.get('retry-after')).toBe('1');
    const graphql = await mutate(anna, create, { key, variables: { title: 'milk' } });
    expect(graphql).toMatchObject({ status: 409, body: codeOf('IDEMPOTENCY_KEY_IN_USE') });
    expect(graphql.headers.get('retry-after')).toBe('1');
    const socket = await Socket.ready(service.url, anna.cookie);
    expect(await socket.run(create, { title: 'milk' }, { idempotencyKey: key })).toMatchObject({
      payload: codeOf('IDEMPOTENCY_KEY_IN_USE'),
    });
    socket.close();
    await lockHolder.release();
    expect((await first).status).toBe(201);
    expect(isReplayed(await anna.post('/api/v2/todo', { title: 'milk' }, withKey(key)))).toBe(true);
  });

  test('in another process', async () => {
    const [anna, key] = [await signUp(service), newKey()];
    lockHolder = await lockSpaces(service);
    await lockHolder.sql('SELECT take_idempotency_key($1, $2, $3)', [anna.id, key, []]);
    expect(await anna.post('/api/v2/todo', { title: 'milk' }, withKey(key))).toMatchObject({ status: 409 });
    await lockHolder.release();
    expect(await anna.post('/api/v2/todo', { title: 'milk' }, withKey(key))).toMatchObject({ status: 201 });
    expect(await titlesOf(service, anna)).toEqual(['milk']);
  });
});

describe('a failed write is not stored, and its key is free', () => {
  test('after invalid input or a missing resource', async () => {
    const [anna, key] = [await signUp(service), newKey()];
    const task = await makeTask(anna);
    const missingPath = `/api/v2/todo/${task.id.slice(0, -4)}0000`;
    expect((await anna.post('/api/v2/todo', { title: '' }, withKey(key))).status).toBe(400);
    expect((await anna.patch(missingPath, { title: 'new' }, withKey(key))).status).toBe(404);
    expect((await anna.patch(missingPath, { title: '' }, withKey(key))).status).toBe(404);
    expect(await mutate(anna, create, { key, variables: { title: '' } })).toMatchObject({
      body: codeOf('VALIDATION_FAILED'),
    });
    expect(await keysOf(service, anna)).toEqual([]);
    const answer = await anna.post('/api/v2/todo', { title: 'milk' }, withKey(key));
    expect([answer.status, isReplayed(answer)]).toEqual([201, false]);
  });

  test('without any effect if one of several mutations fails', async () => {
    const [anna, key] = [await signUp(service), newKey()];
    const query = `mutation ($title: String!) {
      a: createTask(input: { title: "a" }) { id }
      b: createTask(input: { title: $title }) { id }
      c: createTask(input: { title: "c" }) { id }
    }`;
    const failed = await mutate(anna, query, { key, variables: { title: '' } });
    expect(failed.body).toMatchObject({
      data: null,
      errors: [{ path: ['b'], extensions: { code: 'VALIDATION_FAILED' } }],
    });
    expect(failed.body).not.toHaveProperty('extensions');
    expect(failed.headers.get('x-operation-id')).toBeNull();
    expect([await titlesOf(service, anna), await keysOf(service, anna)]).toEqual([[], []]);
    await mutate(anna, query, { key, variables: { title: 'b' } });
    expect((await titlesOf(service, anna)).sort()).toEqual(['a', 'b', 'c']);
  });

  test('if its response is too large to store', async () => {
    const [anna, key] = [await signUp(service), newKey()];
    const description = 'x'.repeat(10_000);
    const aliases = Array.from({ length: 45 }, (_, index) => `t${index}: description`).join(' ');
    const query = `mutation ($d: String!) {
      a: createTask(input: { title: "a", description: $d }) { ${aliases} }
      b: createTask(input: { title: "b", description: $d }) { ${aliases} }
      c: createTask(input: { title: "c", description: $d }) { ${aliases} }
    }`;
    const { body } = await mutate(anna, query, { key, variables: { d: description } });
    expect(body).toMatchObject(codeOf('VALIDATION_FAILED'));
    expect(await titlesOf(service, anna)).toEqual([]);
  });
});

describe('a malformed key of a write is 400', () => {
  const malformed = ['', 'x'.repeat(256), 'a\tb', 'ä'];

  test.each(malformed)('%j in the extensions', async (key) => {
    const anna = await signUp(service);
    const { status, body } = await mutate(anna, create, { extension: key, variables: { title: 'milk' } });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: {
        errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'extensions.idempotencyKey' }] } }],
      },
    });
    expect(await titlesOf(service, anna)).toEqual([]);
  });

  test.each(malformed)('%j in the header', async (key) => {
    const anna = await signUp(service);
    const options = withKey(Buffer.from(key, 'utf8').toString('latin1'));
    for (const { status, body } of [
      await anna.post('/api/v2/todo', { title: 'milk' }, options),
      await anna.post('/graphql', { query: create, variables: { title: 'milk' } }, options),
    ]) {
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain('"path":"Idempotency-Key"');
    }
    expect(await titlesOf(service, anna)).toEqual([]);
  });

  test('as are an empty text and two different keys', async () => {
    const anna = await signUp(service);
    const variables = { title: 'milk' };
    expect((await mutate(anna, create, { extension: 7, variables })).status).toBe(400);
    expect((await mutate(anna, create, { key: 'a', extension: 'b', variables })).status).toBe(400);
    const socket = await Socket.ready(service.url, anna.cookie);
    expect(await socket.run(create, variables, { idempotencyKey: '' })).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'VALIDATION_FAILED' } }],
    });
    socket.close();
    expect(await titlesOf(service, anna)).toEqual([]);
  });

  test('the longest key with every allowed character is accepted', async () => {
    const anna = await signUp(service);
    const key = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 0x21 + index)).padEnd(255, 'x');
    expect((await anna.post('/api/v2/todo', { title: 'milk' }, withKey(key))).status).toBe(201);
    const repeated = await mutate(anna, create, { extension: key, variables: { title: 'milk' } });
    expect(repeated.status).toBe(422);
  });
});
