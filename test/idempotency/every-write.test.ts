import { beforeAll, expect, test } from '@jest/globals';
import { routes } from '../../rest/routes.ts';
import { storesResponses } from '../../src/door/index.ts';
import { schema } from '../../src/schema.ts';
import { keyedMutationsOfAccounts, mutations, mutationsOfSessions } from '../kit/mutations.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { requestCode, signInAgain, signUp } from '../kit/users.ts';
import { isReplayed, mutate, newKey, withKey } from './keyed.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

test('every mutation is stored, or gives the reason why it never is', () => {
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {});
  const ignoredFields = fields
    .filter(({ extensions }) => extensions['ignoresIdempotencyKey'] !== undefined)
    .map(({ name }) => name);
  expect(ignoredFields.sort()).toEqual([...mutationsOfSessions].sort());
  expect(fields).toHaveLength(ignoredFields.length + Object.keys(mutations).length + keyedMutationsOfAccounts.length);
});

test('every REST write is stored, except for sessions, passwords, and secrets and tests of webhooks', () => {
  const operations = routes.filter((row) => !row.raw);
  const ignoredRoutes = operations
    .filter(({ method, document }) => method !== 'get' && !storesResponses(schema, document))
    .map(({ method, path }) => `${method} ${path}`);
  expect(ignoredRoutes).toEqual([
    'post /api/v1/user/signup/send-otp',
    'post /api/v1/user/signup/verify',
    'post /api/v1/user/signin',
    'post /api/v1/user/logout',
    'post /api/v1/user/password/send-otp',
    'post /api/v1/user/password/reset',
    'put /api/v1/user/password',
    'delete /api/v1/user/sessions/:id',
    'delete /api/v1/user/sessions',
    'delete /api/v1/user',
    'post /api/v1/auth/:provider/link',
    'post /api/v2/webhooks',
    'post /api/v2/webhooks/:id/secret',
    'post /api/v2/webhooks/:id/test',
  ]);
  const reads = operations.filter(({ method }) => method === 'get');
  expect(reads.some(({ document }) => storesResponses(schema, document))).toBe(false);
});

test('sign-in, codes and passwords ignore keys, also malformed ones', async () => {
  const anna = await signUp(service);
  const { email, password } = anna;
  for (const key of [newKey(), 'x'.repeat(300)]) {
    const cookies = new Set<string | null>();
    for (let count = 0; count < 2; count += 1) {
      const answer = await service.anonymous.post('/api/v1/user/signin', { email, password }, withKey(key));
      expect([answer.status, isReplayed(answer)]).toEqual([200, false]);
      cookies.add(answer.headers.get('set-cookie'));
    }
    expect(cookies.size).toBe(2);
  }
  const secondSession = await signInAgain(service, anna);
  expect(await mutate(secondSession, 'mutation { endOtherSessions }', { key: newKey() })).toMatchObject({
    body: { data: { endOtherSessions: expect.any(Number) as unknown } },
  });
  expect(await service.sql('SELECT FROM idempotency_keys WHERE user_id = $1', [anna.id])).toEqual([]);
});

test('a key does not return a used code', async () => {
  const email = `${newKey()}@example.com`;
  const code = await requestCode(service, email);
  const verify = () =>
    service.anonymous.post('/api/v1/user/signup/verify', { email, code, password: 'x' }, withKey('once'));
  expect([(await verify()).status, (await verify()).status]).toEqual([200, 400]);
});

test('they cannot be combined with stored mutations', async () => {
  const anna = await signUp(service);
  const query = 'mutation { createTag(name: "home") { id } endOtherSessions }';
  expect(await mutate(anna, query, { key: newKey() })).toMatchObject({
    status: 400,
    body: { errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'query' }] } }] },
  });
  expect(await mutate(anna, query, {})).toMatchObject({ status: 200, body: { data: { createTag: {} } } });
});
