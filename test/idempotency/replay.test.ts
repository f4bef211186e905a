import { beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { Socket } from '../changes/stream.ts';
import { makeProject, makeSection, makeTag, makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { isReplayed, keysOf, mutate, newKey, titlesOf, told, withKey } from './keyed.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

const writes: Record<string, (user: User) => Promise<[method: string, path: string, body?: unknown]>> = {
  'a POST that creates': () => Promise.resolve(['POST', '/api/v2/todo', { title: 'milk' }]),
  'a PATCH': async (user) => ['PATCH', `/api/v2/todo/${(await makeTask(user)).id}`, { title: 'bread' }],
  'a PATCH of many': async (user) => [
    'PATCH',
    `/api/v2/todo/bulk?todoIds=${(await makeTask(user)).id}`,
    { completed: true },
  ],
  'a DELETE': async (user) => ['DELETE', `/api/v2/todo/${(await makeTask(user)).id}`],
  'a project': () => Promise.resolve(['POST', '/api/v2/projects', { name: 'garden', personal: true }]),
  'a section': async (user) => ['POST', `/api/v2/projects/${(await makeProject(user)).id}/sections`, { name: 'now' }],
  'the removal of a section': async (user) => {
    const { id } = await makeProject(user);
    return ['DELETE', `/api/v2/projects/${id}/sections/${(await makeSection(user, id)).id}`];
  },
  'a tag': () => Promise.resolve(['POST', '/api/v2/tag', { name: newKey() }]),
  'the removal of a tag': async (user) => ['DELETE', `/api/v2/tag/bulk?tagIds=${(await makeTag(user)).id}`],
  'a PUT': () => Promise.resolve(['PUT', '/api/v1/user/name', { name: 'Anna' }]),
  'an upload': async () => {
    const form = new FormData();
    const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } }).png();
    form.set('name', 'Anna');
    form.set('image', new Blob([await picture.toBuffer()]), 'me');
    return ['POST', '/api/v1/user/profile', form];
  },
};

describe('REST: the first response is replayed', () => {
  test.each(Object.keys(writes))('to %s', async (kind) => {
    const [method, path, body] = (await writes[kind]?.(anna)) ?? ['', ''];
    const key = newKey();
    const first = await anna.send(method, path, body, withKey(key));
    const repeated = await anna.send(method, path, body, withKey(key));
    expect([200, 201]).toContain(first.status);
    expect(told(repeated)).toEqual(told(first));
    expect([isReplayed(first), isReplayed(repeated)]).toEqual([false, true]);
    expect(await keysOf(service, anna)).toContain(key);
  });

  test('and there is one effect', async () => {
    const ben = await signUp(service);
    const key = newKey();
    for (let count = 0; count < 3; count += 1) await ben.post('/api/v2/todo', { title: 'milk' }, withKey(key));
    expect(await titlesOf(service, ben)).toEqual(['milk']);
    expect(await keysOf(service, ben)).toEqual([key]);
  });
});

const create = 'mutation ($title: String!) { createTask(input: { title: $title }) { id title project { name } } }';

describe('GraphQL: the first result is replayed', () => {
  test('over HTTP and WebSocket, with the key in the header or in extensions', async () => {
    const ben = await signUp(service);
    const [key, variables] = [newKey(), { title: 'milk' }];
    const first = await mutate(ben, create, { key, variables });
    expect(first).toMatchObject({ status: 200, body: { data: { createTask: { title: 'milk' } } } });
    const extensionResponse = await mutate(ben, create, { extension: key, variables });
    expect(told(extensionResponse)).toEqual(told(first));
    expect([isReplayed(first), isReplayed(extensionResponse)]).toEqual([false, true]);
    const bothKeys = await mutate(ben, create, { key, extension: key, variables });
    expect(told(bothKeys)).toEqual(told(first));
    const socket = await Socket.ready(service.url, ben.cookie);
    expect(await socket.run(create, variables, { idempotencyKey: key })).toMatchObject({
      type: 'next',
      payload: { ...first.body, extensions: { idempotencyReplayed: true } },
    });
    socket.close();
    expect(await titlesOf(service, ben)).toEqual(['milk']);
  });

  test('over HTTP if it was first requested over WebSocket', async () => {
    const ben = await signUp(service);
    const [key, variables] = [newKey(), { title: 'milk' }];
    const socket = await Socket.ready(service.url, ben.cookie);
    const { payload } = await socket.run(create, variables, { idempotencyKey: key });
    socket.close();
    expect(payload).toMatchObject({ data: { createTask: { title: 'milk' } } });
    expect((await mutate(ben, create, { key, variables })).body).toEqual(payload);
    expect(await titlesOf(service, ben)).toEqual(['milk']);
  });

  test('the rest of an operation sees its earlier effects', async () => {
    const ben = await signUp(service);
    const query = `mutation {
      createWorkspace(name: "Home") { name members { id } projects { name } }
      updateProfile(name: "Ben") { name }
    }`;
    for (const resolve of [
      (key: string) => mutate(ben, query, { key }).then(({ body }) => body),
      async (key: string) => {
        const socket = await Socket.ready(service.url, ben.cookie);
        const { payload } = await socket.run(query, {}, { idempotencyKey: key });
        socket.close();
        return payload;
      },
    ]) {
      expect(await resolve(newKey())).toMatchObject({
        data: { createWorkspace: { members: [{ id: ben.id }] }, updateProfile: { name: 'Ben' } },
      });
    }
  });

  test('an operation with several mutations is stored as a whole under one key', async () => {
    const ben = await signUp(service);
    const query =
      'mutation { a: createTask(input: { title: "a" }) { id } b: createTask(input: { title: "b" }) { id } }';
    const key = newKey();
    const first = await mutate(ben, query, { key });
    expect(told(await mutate(ben, query, { key }))).toEqual(told(first));
    expect(await titlesOf(service, ben)).toHaveLength(2);
    expect(await keysOf(service, ben)).toEqual([key]);
  });

  test('a mutation without effect is stored too', async () => {
    const ben = await signUp(service);
    const key = newKey();
    await mutate(ben, 'mutation { deleteTags(ids: []) { count } }', { key });
    expect(await keysOf(service, ben)).toEqual([key]);
  });
});

test('20 at once have one effect, and each gets the same response or 409', async () => {
  const ben = await signUp(service);
  const key = newKey();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => ben.post('/api/v2/todo', { title: 'milk' }, withKey(key))),
  );
  const last = await ben.post('/api/v2/todo', { title: 'milk' }, withKey(key));
  expect(last.status).toBe(201);
  for (const answer of answers) {
    if (answer.status === 409) expect(answer.headers.get('retry-after')).toBe('1');
    else expect(told(answer)).toEqual(told(last));
  }
  expect(await titlesOf(service, ben)).toEqual(['milk']);
});

test('keys belong to an account: another account can use the same key', async () => {
  const [ben, cleo, key] = [await signUp(service), await signUp(service), newKey()];
  for (const user of [ben, cleo]) {
    const answer = await user.post('/api/v2/todo', { title: 'milk' }, withKey(key));
    expect([answer.status, isReplayed(answer)]).toEqual([201, false]);
    expect(await titlesOf(service, user)).toEqual(['milk']);
  }
});

test('after 24 hours a key is new, and its response is deleted', async () => {
  const [ben, key] = [await signUp(service), newKey()];
  const backdate = (hours: number) =>
    service.sql(
      'UPDATE idempotency_keys SET created_at = created_at - make_interval(hours => $2::int) WHERE user_id = $1',
      [ben.id, hours],
    );
  await ben.post('/api/v2/todo', { title: 'milk' }, withKey(key));
  await backdate(23);
  expect(isReplayed(await ben.post('/api/v2/todo', { title: 'milk' }, withKey(key)))).toBe(true);
  await backdate(1);
  const answer = await ben.post('/api/v2/todo', { title: 'bread' }, withKey(key));
  expect([answer.status, isReplayed(answer)]).toEqual([201, false]);
  expect(await titlesOf(service, ben)).toEqual(['milk', 'bread']);
  expect(isReplayed(await ben.post('/api/v2/todo', { title: 'bread' }, withKey(key)))).toBe(true);
});

test('reads ignore every key', async () => {
  for (const key of ['x', 'ü', 'x'.repeat(300)]) {
    const inHeader = withKey(Buffer.from(key, 'utf8').toString('latin1'));
    expect((await anna.get('/api/v2/todo', inHeader)).status).toBe(200);
    expect((await mutate(anna, '{ viewer { id } }', { extension: key })).body).toMatchObject({
      data: expect.anything() as object,
    });
  }
  expect((await mutate(anna, '{ viewer { id } }', { extension: 7 })).status).toBe(200);
  expect(await keysOf(service, anna)).not.toContain('x');
});
