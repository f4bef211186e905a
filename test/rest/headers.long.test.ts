import { beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../rest/routes.ts';
import { invite, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { until } from '../kit/until.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';
import { makeWebhook } from '../webhooks/webhooks.ts';

const reads = routes.filter(({ method, raw }) => method === 'get' && !raw).map(({ path }) => path);

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

const thingOf = (path: string): Promise<{ id: string }> => {
  if (path.startsWith('/api/v2/todo/:id')) return makeTask(anna);
  if (path.startsWith('/api/v2/webhooks/:id'))
    return makeWebhook(anna, 'https://hooks.invalid').then(({ webhook }) => webhook);
  return path.startsWith('/api/v2/workspaces') ? makeWorkspace(anna) : makeProject(anna);
};

const query: Record<string, string> = {
  '/api/v2/projects/personal': '?search=',
  '/api/v2/todo/search': '?q=x',
  '/api/v2/comments/search': '?q=x',
  '/api/v2/recurrence': '?rule=FREQ%3DDAILY',
};

describe.each(reads)('GET %s', (path) => {
  test('has an ETag, is private, and is 304 to a client with the ETag', async () => {
    const { id } = await thingOf(path);
    const url = `${path.replace(':id', id)}${query[path] ?? ''}`;
    const first = await anna.get(url);
    expect(first.status).toBe(200);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^(W\/)?"[^"]+"$/);

    for (const held of [etag, `"other", ${etag}`, '*']) {
      const second = await anna.get(url, { headers: { 'If-None-Match': held } });
      expect([second.status, second.body]).toEqual([304, '']);
      expect(second.headers.get('etag')).toBe(etag);
    }
    expect(await anna.get(url, { headers: { 'If-None-Match': '"other"' } })).toMatchObject({ status: 200 });
  });
});

describe('If-None-Match: *', () => {
  const anyEtag = { headers: { 'If-None-Match': '*' } };

  test.each(reads)('does not hide a refusal of GET %s', async (path) => {
    const url = `${path}${query[path] ?? '?'}`;
    for (const [caller, target] of [
      [service.anonymous, url],
      [anna, url.replace(':id', 'proj_00000000000000000000000000')],
      [anna, url.replace(':id', '%00')],
      [anna, `${url}&x=%00`],
    ] as const) {
      const plainResponse = await caller.get(target);
      if (plainResponse.status === 200) continue;
      expect(await caller.get(target, anyEtag)).toMatchObject({
        status: plainResponse.status,
        body: plainResponse.body,
      });
    }
  });

  test('hides neither an unknown path nor an invalid request', async () => {
    expect(await anna.get('/api/v2/nothing', anyEtag)).toMatchObject({ status: 404 });
    expect(await anna.get('/avatars/none.png', anyEtag)).toMatchObject({ status: 404 });
    expect(await anna.get('/api/v2/projects/proj_none', anyEtag)).toMatchObject({ status: 404 });
    expect(await anna.get('/api/v2/todo?completed=x', anyEtag)).toMatchObject({ status: 400 });
    expect(await anna.get('/api/v2/changes?limit=0', anyEtag)).toMatchObject({ status: 400 });
  });
});

describe('an ETag', () => {
  test('differs after a change, and for another caller', async () => {
    const ben = await signUp(service);
    const [mine, theirs] = [await anna.get('/api/v2/projects'), await ben.get('/api/v2/projects')];
    const etag = mine.headers.get('etag') ?? '';
    expect(theirs.headers.get('etag')).not.toBe(etag);
    expect(await ben.get('/api/v2/projects', { headers: { 'If-None-Match': etag } })).toMatchObject({ status: 200 });
    await makeProject(anna);
    expect(await anna.get('/api/v2/projects', { headers: { 'If-None-Match': etag } })).toMatchObject({ status: 200 });
  });
});

describe('a client with an ETag', () => {
  const cases: [path: string, change: (user: User) => Promise<unknown>][] = [
    ['/api/v1/user/sessions', (user) => signInAgain(service, user)],
    ['/api/v2/deliveries', (user) => user.data('mutation { sendTestMail }')],
    ['/api/v2/trash', (user) => user.data('mutation { emptyTrash }')],
    [
      '/api/v2/invitations',
      async ({ email }) => {
        const open = 'SELECT FROM invitations WHERE email = $1 AND expires_at > now()';
        await until('the invitation expires', async () => (await service.sql(open, [email])).length === 0);
      },
    ],
  ];

  test.each(cases)('of %s sees a change that raises no revision', async (path, change) => {
    // Of its own: an invitation that expires changes what other tests read.
    const [ben, carl] = [await signUp(service), await signUp(service)];
    const id = await invite(ben, (await makeWorkspace(ben)).id, carl.email);
    await service.sql(`UPDATE invitations SET expires_at = now() + interval '3 seconds' WHERE id = $1`, [id]);
    await carl.delete(`/api/v2/todo/${(await makeTask(carl)).id}`);
    const first = await carl.get(path);
    const held = { headers: { 'If-None-Match': first.headers.get('etag') ?? '' } };
    await change(carl);
    const second = await carl.get(path, held);
    expect(second.status).toBe(200);
    expect(second.body).not.toEqual(first.body);
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'));
  });
});

describe('X-Request-Id', () => {
  test("is the caller's own if it is well formed, else a new one", async () => {
    const idOf = async (given?: string, path = '/api/v1/auth-check') => {
      const headers: Record<string, string> = given === undefined ? {} : { 'X-Request-Id': given };
      return (await service.anonymous.get(path, { headers })).headers.get('x-request-id') ?? '';
    };
    expect(await idOf('trace-1.a:b/c=')).toBe('trace-1.a:b/c=');
    const own = [await idOf(), await idOf(), await idOf('a b'), await idOf('x'.repeat(129)), await idOf('<script>')];
    expect(new Set(own).size).toBe(5);
    for (const id of own) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    for (const path of ['/healthz', '/nowhere', '/api/v2/todo', '/avatars/none.png', '/graphql']) {
      expect(await idOf('mine', path)).toBe('mine');
    }
  });
});

test('a malformed path is 401 to strangers, unless its row needs no session', async () => {
  for (const [path, status] of [
    ['/api/v2/todo/%zz', 401],
    ['/api/v1/auth/%zz', 400],
    ['/api/v1/auth/%zz/callback', 400],
  ] as const) {
    expect(await service.anonymous.get(path)).toMatchObject({ status });
    expect(await anna.get(path)).toMatchObject({ status: 400 });
  }
});

describe('an unknown path', () => {
  test.each([
    ['GET', '/api'],
    ['GET', '/api/v3/todo'],
    ['GET', '/api/v2/nothing'],
    ['GET', '/API/v2/todo'],
    ['POST', '/api/v1/auth-check'],
    ['DELETE', '/api/v1/user/profile'],
    ['PUT', '/api/v2/todo'],
    ['POST', '/api/v2/todo/search'],
    ['GET', '/nothing'],
    ['GET', '/.git/HEAD'],
    ['GET', '/.env'],
    ['GET', '/package.json'],
    ['GET', '/dist/src/process/main.js'],
    ['GET', '/docs/assets/'],
    ['GET', '/docs/assets/..%2fpackage.json'],
    ['GET', '/avatars'],
  ])('%s %s responds with 404 and the JSON error body', async (method, path) => {
    for (const caller of [anna, service.anonymous]) {
      const answer = await caller.send(method, path);
      expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND', message: expect.any(String) } });
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });
});
