import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Socket } from '../changes/stream.ts';
import type { Answer, Client } from '../kit/client.ts';
import { type Service, startService } from '../kit/service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';
import { csrf, expectLimited, query, rateLimitOf, untilRefused } from './standings.ts';

let service: Service;

const from = (address: string) => ({ 'X-Forwarded-For': address });
const checkSession = (address: string) => service.anonymous.get('/api/v1/auth-check', { headers: from(address) });

describe('the limits of a client', () => {
  describe('behind a trusted proxy', () => {
    beforeAll(async () => {
      service = await startService({
        RATE_LIMITS: 'on',
        RATE_LIMIT_REQUESTS: '30/60',
        RATE_LIMIT_GRAPHQL_COST: '50/60',
        TRUST_PROXY: 'loopback',
      });
    });
    afterAll(() => service.close());

    test('bound all its requests, with or without a session, before anything else', async () => {
      const count = await untilRefused(() => checkSession('192.0.2.1'));
      expect(count).toBe(30);
      expectLimited(await checkSession('192.0.2.1'), 'requests-of-client');
      for (const [method, path] of [
        ['GET', '/docs/'],
        ['GET', '/avatars/none.png'],
        ['POST', '/api/v1/user/signin'],
        ['GET', '/nothing'],
        ['POST', '/graphql'],
        ['GET', '/graphql'],
      ] as const) {
        const forgedSession = service.client('sid=s%3Aforged.signature');
        const send = () => forgedSession.send(method, path, undefined, { headers: from('192.0.2.1') });
        const { result, statements } = await recordStatements(send);
        expectLimited(result, 'requests-of-client');
        expect(statements.filter(({ purpose }) => purpose !== 'background')).toEqual([]);
      }
      expect((await checkSession('192.0.2.2')).status).toBe(200);
    });

    test('treat a host as one client, whichever of its addresses it uses', async () => {
      for (let host = 0; host < 30; host += 1) expect((await checkSession(`2001:db8:1:2::${host}`)).status).toBe(200);
      expectLimited(await checkSession('2001:db8:1:2:ffff::1'), 'requests-of-client');
      expect((await checkSession('2001:db8:1:3::1')).status).toBe(200);
    });

    test('bound its GraphQL requests, also without a session, and invalid operations', async () => {
      const headers = { ...csrf, ...from('192.0.2.3') };
      expect((await service.anonymous.post('/graphql', query('{ viewer { id } }'), { headers })).status).toBe(200);
      expect((await service.anonymous.post('/graphql', query('{ nothing }'), { headers })).status).toBe(429);
      expectLimited(
        await service.anonymous.post('/graphql', query('{ viewer { id } }'), { headers }),
        'graphql-cost-of-client',
      );
      expect((await checkSession('192.0.2.3')).status).toBe(200);
    });
  });

  test('are not escaped by a forged X-Forwarded-For', async () => {
    service = await startService({ RATE_LIMITS: 'on', RATE_LIMIT_REQUESTS: '10/60' });
    for (let client = 1; client <= 10; client += 1) expect((await checkSession(`192.0.2.${client}`)).status).toBe(200);
    expectLimited(await checkSession('192.0.2.11'), 'requests-of-client');
    await service.close();
  });
});

describe('the requests of strangers in a network', () => {
  beforeAll(async () => {
    service = await startService({
      RATE_LIMITS: 'on',
      // 20 for a session and 160 for a client, including sign-ups.
      RATE_LIMIT_WRITES: '40/300',
      RATE_LIMIT_GRAPHQL_COST: '200000/300',
      TRUST_PROXY: 'loopback',
    });
  });
  afterAll(() => service.close());

  const write = (caller: Client, network: string) => caller.post('/api/v1/user/signin', {}, { headers: from(network) });
  /** Sends an uncached document that costs a fifth of the session's quota. */
  const sendFreshQuery = (caller: Client, network: string) => {
    const text = `{ viewer { id } } # ${crypto.randomUUID()}${' '.repeat(3900)}`;
    return caller.post('/graphql', query(text), { headers: from(network) });
  };
  const rename = (user: User, network: string) =>
    user.put('/api/v1/user/name', { name: 'Anna' }, { headers: from(network) });
  const mutate = (user: User, network: string) =>
    user.post('/graphql', query('mutation { updateProfile(name: "Anna") { id } }'), { headers: from(network) });
  const expectServed = ({ status, headers }: Answer<unknown>) =>
    expect([status, headers.get('ratelimit')]).toEqual([200, expect.stringContaining('-of-session"')]);
  const forgedSession = () => service.client(`sid=s%3A${crypto.randomUUID()}.signature`);
  const remainingQuota = async (send: typeof write, network: string) =>
    rateLimitOf(await send(service.anonymous, network));
  async function endedSession(): Promise<Client> {
    const user = await signUp(service);
    const { cookie } = user;
    await user.data('mutation { signOut }');
    return service.client(cookie);
  }

  test('do not affect users of that network', async () => {
    const network = '192.0.2.10';
    const [anna, ben] = [await signUp(service), await signUp(service)];
    await untilRefused(() => write(service.anonymous, network));
    await untilRefused(() => sendFreshQuery(service.anonymous, network));
    expectLimited(await write(service.anonymous, network), 'writes-of-client');
    expectLimited(await sendFreshQuery(service.anonymous, network), 'graphql-cost-of-client');
    for (const send of [rename, mutate, sendFreshQuery]) expectServed(await send(anna, network));
    const socket = await Socket.ready(service.url, anna.cookie, { headers: from(network) });
    socket.send({ type: 'subscribe', id: 'x', payload: query('mutation { createTag(name: "x") { id } }') });
    expect(await socket.messages.take()).toMatchObject({ type: 'next', payload: { data: { createTag: {} } } });
    socket.close();
    // Nor does a spent limit of writes stop reads.
    await untilRefused(() => rename(ben, network));
    expect((await sendFreshQuery(ben, network)).status).toBe(200);
  });

  test('count for the network, and the requests of its users do not', async () => {
    const network = '192.0.2.11';
    const anna = await signUp(service);
    const [writes, cost] = [await remainingQuota(write, network), await remainingQuota(sendFreshQuery, network)];
    expect([writes.name, cost.name]).toEqual(['writes-of-client', 'graphql-cost-of-client']);
    expect(rateLimitOf(await rename(anna, network)).name).toBe('writes-of-session');
    expect(rateLimitOf(await sendFreshQuery(anna, network)).name).toBe('graphql-cost-of-session');
    await mutate(anna, network);
    await untilRefused(() => rename(anna, network));
    // Telling a write from a read counts as parsing for the session, too.
    expect((await sendFreshQuery(anna, network)).status).toBe(200);
    expectLimited(await mutate(anna, network), 'writes-of-session');
    expect((await remainingQuota(write, network)).remaining).toBe(writes.remaining - 1);
    const each =
      (await remainingQuota(sendFreshQuery, '192.0.2.12')).remaining -
      (await remainingQuota(sendFreshQuery, '192.0.2.12')).remaining;
    expect((await remainingQuota(sendFreshQuery, network)).remaining).toBe(cost.remaining - each);
  });

  test.each([
    ['a forged session', forgedSession, '192.0.2.20'],
    ['a session that has ended', endedSession, '192.0.2.21'],
  ])('count for it even with the cookie of %s, and are refused without a statement', async (_label, make, network) => {
    const caller = await make();
    const writes = await remainingQuota(write, network);
    expect(rateLimitOf(await write(caller, network))).toMatchObject({
      name: 'writes-of-client',
      remaining: writes.remaining - 1,
    });
    await untilRefused(() => write(caller, network));
    await untilRefused(() => sendFreshQuery(caller, network));
    for (const [send, name] of [
      [write, 'writes-of-client'],
      [sendFreshQuery, 'graphql-cost-of-client'],
    ] as const) {
      for (const each of [caller, service.anonymous]) {
        // Counts of the requests before may be written at the same time.
        const { result, own } = await recordStatements(() => send(each, network));
        expectLimited(result, name);
        expect(own).toEqual([]);
      }
    }
  });

  test('are refused before a body has arrived, whatever their cookie', async () => {
    const network = '192.0.2.22';
    await untilRefused(() => sendFreshQuery(service.anonymous, network));
    const { hostname, port } = new URL(service.url);
    for (const cookie of ['', forgedSession().cookie, (await endedSession()).cookie]) {
      const client = connect(Number(port), hostname);
      client.write(`POST /graphql HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${network}\r\nCookie: ${cookie}\r\n`);
      client.write('Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{');
      const [answer] = (await once(client, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1.1 429 [^]*\r\nRateLimit: "graphql-cost-of-client";r=0;/);
      client.destroy();
    }
  });
});
