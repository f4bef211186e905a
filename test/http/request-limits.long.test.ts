import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../rest/routes.ts';
import { schema } from '../../src/schema.ts';
import { Socket } from '../changes/stream.ts';
import type { Answer } from '../kit/client.ts';
import { advanceClock } from '../kit/clock.ts';
import { keyedMutationsOfAccounts, mutations, mutationsOfSessions, type Targets } from '../kit/mutations.ts';
import { makeProgram } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';
import { csrf, expectLimited, query, rateLimitOf, untilRefused } from './standings.ts';

let service: Service;
const close = () => service.close();

const readTags = (user: User, headers = {}) => user.get('/api/v2/tag', { headers });
const renameUser = (user: User, headers = {}) => user.put('/api/v1/user/name', { name: 'Anna' }, { headers });
/** Sends an uncached document that costs a fifth of the session's quota. */
const sendFreshQuery = (user: User) =>
  user.post('/graphql', query(`{ viewer { id } } # ${crypto.randomUUID()}${' '.repeat(925)}`), { headers: csrf });
const readViewer = (user: User, headers = {}) => user.post('/graphql', query('{ viewer { id } }'), { headers });

describe('the limits of a session and of an account', () => {
  beforeAll(async () => {
    service = await startService({
      RATE_LIMITS: 'on',
      RATE_LIMIT_READS: '40/600',
      RATE_LIMIT_WRITES: '60/300',
      RATE_LIMIT_GRAPHQL_COST: '50000/60',
    });
  });
  afterAll(close);

  test('are in every response', async () => {
    const anna = await signUp(service);
    const tags = rateLimitOf(await readTags(anna));
    expect(tags).toEqual({
      name: 'reads-of-session',
      quota: 20,
      window: 600,
      remaining: 19,
      reset: expect.closeTo(600, -1),
    });
    expect(rateLimitOf(await readTags(anna))).toMatchObject({ remaining: 18 });
    expect(rateLimitOf(await renameUser(anna))).toEqual({
      name: 'writes-of-session',
      ...{ quota: 30, window: 300, remaining: 29, reset: expect.closeTo(300, -1) },
    });
    const cost = rateLimitOf(await readViewer(anna));
    expect(cost).toMatchObject({ name: 'graphql-cost-of-session', quota: 25_000, window: 60 });
    // A response from the cache costs one point.
    expect(rateLimitOf(await readViewer(anna))).toMatchObject({ remaining: cost.remaining - 1 });
    expect(rateLimitOf(await service.anonymous.get('/api/v1/auth-check'))).toMatchObject({
      name: 'requests-of-client',
    });
    expect(rateLimitOf(await anna.get('/api/v2/nothing'))).toMatchObject({ name: 'requests-of-client' });
  });

  test.each([
    ['reads', readTags, 20],
    ['writes', renameUser, 30],
    ['graphql-cost', sendFreshQuery, undefined],
  ] as const)("bound %s: a session has half of its account's quota", async (kind, send, ofSession) => {
    const anna = await signUp(service);
    const [one, two, three] = [
      await signInAgain(service, anna),
      await signInAgain(service, anna),
      await signInAgain(service, anna),
    ];
    const first = await untilRefused(() => send(one));
    if (ofSession !== undefined) expect(first).toBe(ofSession);
    expectLimited(await send(one), `${kind}-of-session`);
    // The sign-up used the account's quota, too.
    await untilRefused(() => send(two));
    expectLimited(await send(three), `${kind}-of-account`);
    const ben = await signUp(service);
    expect((await send(ben)).status).toBe(200);
  });

  test("bound access tokens like sessions: each has half of the account's quota, which all share", async () => {
    const anna = await signUp(service);
    const [one, two] = [await makeProgram(service, anna), await makeProgram(service, anna)];
    expect(await untilRefused(() => one.get('/api/v2/tag'))).toBe(20);
    expectLimited(await one.get('/api/v2/tag'), 'reads-of-session');
    await untilRefused(() => two.get('/api/v2/tag'));
    expectLimited(await readTags(anna), 'reads-of-account');
  });

  test('count each field of a mutation as a write, and refuse the mutation before it has an effect', async () => {
    const anna = await signUp(service);
    const tags = (count: number) =>
      Array.from({ length: count }, (_, index) => `t${index}: createTag(name: "${crypto.randomUUID()}") { id }`);
    const send = (count: number) =>
      anna.post('/graphql', query(`mutation { ...All } fragment All on Mutation { ${tags(count).join(' ')} }`));
    expect((await send(28)).status).toBe(200);
    expectLimited(await send(3), 'writes-of-session');
    expect(await service.sql('SELECT FROM tags WHERE space_id = $1', [anna.id])).toHaveLength(28);
    expectLimited(await renameUser(anna), 'writes-of-session');
    expect((await readViewer(anna)).status).toBe(200);
    expect((await anna.post('/graphql', '{', { headers: csrf })).status).toBe(400);
  });

  test('hold over WebSocket as well', async () => {
    const anna = await signUp(service);
    const socket = await Socket.ready(service.url, anna.cookie);
    const refusal = { extensions: { code: 'RATE_LIMITED', retryAfter: expect.any(Number) } };
    for (let id = 0; ; id += 1) {
      socket.send({ type: 'subscribe', id: String(id), payload: query('mutation { createTag(name: "x") { id } }') });
      const { type, payload } = await socket.messages.take();
      if (type === 'next') {
        await socket.messages.take();
        continue;
      }
      expect([id, payload]).toMatchObject([30, [refusal]]);
      break;
    }
    const { own } = await recordStatements(async () => {
      socket.send({ type: 'subscribe', id: 'x', payload: query('mutation { createTag(name: "y") { id } }') });
      expect(await socket.messages.take()).toMatchObject({ type: 'error', payload: [refusal] });
    });
    expect(own).toEqual([]);
    await untilRefused(() => sendFreshQuery(anna));
    socket.send({ type: 'subscribe', id: 'y', payload: query('subscription { taskChanges { taskId } }') });
    expect(await socket.messages.take()).toMatchObject({ type: 'error', payload: [refusal] });
    socket.close();
    // The next socket is refused before its session is looked up.
    const { result, statements } = await recordStatements(() => handshake(anna.cookie));
    expect(result).toMatch(/^HTTP\/1.1 429 [^]*\r\nRetry-After: \d+\r\n/);
    // Checks of open sockets' sessions have other names.
    expect(statements.filter(({ name }) => name === 'loadCredential')).toEqual([]);
  });

  test('refuse without a statement, not even for the session', async () => {
    const anna = await signUp(service);
    const mutate = (user: User) => user.post('/graphql', query('mutation { updateProfile(name: "Anna") { id } }'));
    const upload = (user: User) => {
      const form = new FormData();
      form.set(
        'operations',
        JSON.stringify({ query: 'mutation ($image: File) { updateProfile(name: "Anna", image: $image) { id } }' }),
      );
      form.set('map', '{}');
      return user.post('/graphql', form, { headers: csrf });
    };
    for (const send of [readTags, renameUser, mutate, upload, sendFreshQuery]) {
      await untilRefused(() => send(anna));
      const { result, statements } = await recordStatements(() => send(anna));
      expect(result.status).toBe(429);
      expect(statements).toEqual([]);
    }
  });

  test('hold for a session that may not write any more: it is read once a minute, because it may have ended', async () => {
    const anna = await signUp(service);
    const other = await signInAgain(service, anna);
    await untilRefused(() => renameUser(anna));
    const mutate = () => anna.post('/graphql', query('mutation { updateProfile(name: "Anna") { id } }'));
    const sessionLookUps = async () => {
      const { result, statements } = await recordStatements(mutate);
      expectLimited(result, 'writes-of-session');
      return statements.filter(({ name }) => name === 'loadCredential').length;
    };
    expect(await sessionLookUps()).toBe(0);
    advanceClock(60_000);
    expect([await sessionLookUps(), await sessionLookUps()]).toEqual([1, 0]);
    await other.data('mutation { endOtherSessions }');
    advanceClock(60_000);
    // The session has ended, so the limits of the client apply.
    const answer = await mutate();
    expect([answer.status, rateLimitOf(answer).name]).toEqual([200, expect.stringMatching(/-of-client$/)]);
    expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  });

  test('refuse before a body has arrived', async () => {
    const anna = await signUp(service);
    await untilRefused(() => renameUser(anna));
    const { hostname, port } = new URL(service.url);
    const client = connect(Number(port), hostname);
    client.write(`PUT /api/v1/user/name HTTP/1.1\r\nHost: x\r\nCookie: ${anna.cookie}\r\n`);
    client.write('Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{');
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 429 /);
    client.destroy();
  });

  test('do not apply to health checks', async () => {
    const anna = await signUp(service);
    for (const path of ['/healthz', '/readyz']) {
      const { status, headers } = await anna.get(path);
      expect([status, headers.get('ratelimit')]).toEqual([200, null]);
    }
  });

  async function handshake(cookie = ''): Promise<string> {
    const { hostname, port } = new URL(service.url);
    const client = connect(Number(port), hostname);
    client.write(`GET /graphql HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\nConnection: Upgrade\r\n`);
    client.write('Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n');
    client.write('Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n');
    const [answer] = (await once(client, 'data')) as [Buffer];
    client.destroy();
    return answer.toString();
  }
});

describe('every endpoint and mutation', () => {
  beforeAll(async () => {
    service = await startService({ RATE_LIMITS: 'on', RATE_LIMIT_WRITES: '8/60', RATE_LIMIT_READS: '20/60' });
  });
  afterAll(close);

  async function exhaust(send: (user: User) => Promise<Answer<unknown>>): Promise<User> {
    const user = await signUp(service);
    await untilRefused(() => send(user));
    return user;
  }

  test('has its limit: each endpoint of REST', async () => {
    const [reader, writer] = [await exhaust(readTags), await exhaust(renameUser)];
    for (const { method, path } of routes) {
      const user = method === 'get' ? reader : writer;
      const answer = await user.send(method.toUpperCase(), path.replaceAll(/:\w+/g, 'x'));
      expect([path, answer.status]).toEqual([path, 429]);
      expectLimited(answer, method === 'get' ? 'reads-of-session' : 'writes-of-session');
    }
  });

  test('has its limit: each mutation', async () => {
    const user = await exhaust(renameUser);
    const targets = new Proxy({} as Targets, { get: () => 'x' });
    const documents: Record<string, string> = {
      ...Object.fromEntries(Object.entries(mutations).map(([name, text]) => [name, text(targets)])),
      changePassword: 'changePassword(currentPassword: "x", newPassword: "x", confirmNewPassword: "x") { id }',
      createAccessToken: 'createAccessToken(input: { name: "x", scopes: [READ] }) { token }',
      confirmEmailChange: 'confirmEmailChange(code: "x") { id }',
      confirmTotp: 'confirmTotp(code: "x") { recoveryCodes }',
      disableTotp: 'disableTotp(code: "x") { id }',
      startTotp: 'startTotp { secret }',
      deletePasskey: 'deletePasskey(id: "x")',
      finishPasskeyRegistration: 'finishPasskeyRegistration(response: {}, name: "x") { id }',
      finishPasskeySignIn: 'finishPasskeySignIn(response: {}) { id }',
      startPasskeyRegistration: 'startPasskeyRegistration',
      startPasskeySignIn: 'startPasskeySignIn',
      deleteAccount: 'deleteAccount(password: "x")',
      endOtherSessions: 'endOtherSessions',
      endSession: 'endSession(id: "x")',
      requestEmailChange: 'requestEmailChange(email: "x")',
      requestPasswordReset: 'requestPasswordReset(email: "x")',
      linkProvider: 'linkProvider(provider: "x")',
      requestSignUpCode: 'requestSignUpCode(email: "x")',
      revokeAccessToken: 'revokeAccessToken(id: "x")',
      resetPassword: 'resetPassword(email: "x", code: "x", password: "x")',
      signIn: 'signIn(email: "x", password: "x") { id }',
      signOut: 'signOut',
      unlinkProvider: 'unlinkProvider(provider: "x") { id }',
      signUp: 'signUp(email: "x", code: "x", password: "x") { id }',
      createWebhook: 'createWebhook(input: { url: "https://example.com" }) { secret }',
      updateWebhook: 'updateWebhook(id: "x", input: { enabled: false }) { id }',
      deleteWebhook: 'deleteWebhook(id: "x")',
      rotateWebhookSecret: 'rotateWebhookSecret(id: "x") { secret }',
      testWebhook: 'testWebhook(id: "x") { status }',
      allowApplication: 'allowApplication(query: "x", scopes: [READ])',
      revokeApplication: 'revokeApplication(id: "x")',
    };
    expect(Object.keys(documents).sort()).toEqual(Object.keys(schema.getMutationType()?.getFields() ?? {}).sort());
    expect(Object.keys(documents).sort()).toEqual(
      [...Object.keys(mutations), ...mutationsOfSessions, ...keyedMutationsOfAccounts].sort(),
    );
    for (const [name, text] of Object.entries(documents)) {
      const answer = await user.post('/graphql', query(`mutation { ${text} }`));
      expect([name, answer.body]).toMatchObject([name, { errors: [{ extensions: { code: 'RATE_LIMITED' } }] }]);
      expectLimited(answer, 'writes-of-session');
    }
  });
});

test('RATE_LIMITS=off lifts them, and responses do not mention them', async () => {
  service = await startService({ RATE_LIMITS: 'off', RATE_LIMIT_REQUESTS: '1/60', RATE_LIMIT_READS: '1/60' });
  const anna = await signUp(service);
  for (let count = 0; count < 5; count += 1) {
    const { status, headers } = await readTags(anna);
    expect([status, headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([200, null, null]);
  }
  await service.close();
});
