import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Socket as Connection } from 'node:net';
import bcrypt from 'bcrypt';
import { createHttpServer } from '@taskgate/http';
import { networksOf } from '@taskgate/limits';
import { Socket } from '../changes/stream.ts';
import type { Answer, Client } from '../kit/client.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { csrf, query } from './standings.ts';

test.each([
  ['192.0.2.1', ['192.0.2.1']],
  ['unknown', ['unknown']],
  ['2001:db8:1:2::/64', ['2001:db8:1:2::/64', '2001:db8:1:0::/56', '2001:db8:1::/48']],
  ['2001:db8:1:abcd::/64', ['2001:db8:1:abcd::/64', '2001:db8:1:ab00::/56', '2001:db8:1::/48']],
])('the networks of %s', (clientAddress, networks) => expect(networksOf(clientAddress)).toEqual(networks));

let service: Service;
let user: User;

beforeAll(async () => {
  service = await startService({
    RATE_LIMITS: 'on',
    RATE_LIMIT_REQUESTS: '9/300',
    RATE_LIMIT_WRITES: '2/300',
    RATE_LIMIT_GRAPHQL_COST: '50/300',
    RATE_LIMIT_CODES: '1/300',
    RATE_LIMIT_SIGN_INS: '1',
    RATE_LIMIT_SOCKETS: '2',
    TRUST_PROXY: 'loopback',
  });
  user = await signUp(service);
  const compare = jest.spyOn(bcrypt, 'compare');
  compare.mockImplementation((() => Promise.resolve(false)) as never);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await service.close();
});

type Use = (address: string) => Promise<boolean>;

const isAllowed = ({ status }: Answer<unknown>) => status !== 429;

const send =
  (use: (client: Client, options: { headers: Record<string, string> }) => Promise<Answer<unknown>>): Use =>
  async (address) =>
    isAllowed(await use(service.anonymous, { headers: { ...csrf, 'X-Forwarded-For': address } }));

const post = (path: string, body: () => object): Use => send((client, options) => client.post(path, body(), options));

const openSocket: Use = (address) =>
  Socket.ready(service.url, user.cookie, { headers: { 'X-Forwarded-For': address } }).then(
    () => true,
    () => false,
  );

function connecting(): Use {
  const server = createHttpServer({ maxConnectionsOfClient: 2 });
  afterAll(() => void server.close());
  return (address) => {
    const connection = new Connection();
    Object.defineProperty(connection, 'remoteAddress', { value: address });
    server.emit('connection', connection);
    return Promise.resolve(!connection.destroyed);
  };
}

describe('a client, a /56 and a /48 of IPv6 have 1, 4 and 16 times the quota', () => {
  test.each<[string, Use]>([
    ['requests', send((client, options) => client.get('/api/v1/auth-check', options))],
    ['writes', post('/api/v1/user/signin', () => ({}))],
    ['cost of GraphQL', post('/graphql', () => query('{ viewer { id } }'))],
    ['codes', post('/api/v1/user/signup/send-otp', () => ({ email: randomEmail() }))],
    ['sign-ups', post('/api/v1/user/signup/verify', () => ({ email: randomEmail(), code: '000000', password: 'x' }))],
    ['failed sign-ins', post('/api/v1/user/signin', () => ({ email: randomEmail(), password: 'wrong' }))],
    ['WebSockets', openSocket],
    ['connections', connecting()],
  ])('of %s', async (what, use) => {
    const place = [...what].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
    /** Counts the accepted uses of ever new addresses until the first refusal. */
    async function countAllowed(addressOf: (count: number) => string, maxCount: number): Promise<number> {
      for (let count = 0; count < maxCount; count += 1) if (!(await use(addressOf(count)))) return count;
      return maxCount;
    }
    const allowedAlone = await countAllowed(() => `192.0.${place % 256}.1`, 100);
    expect(allowedAlone).toBeGreaterThan(0);
    expect(await use(`::ffff:192.0.${place % 256}.1`)).toBe(false);
    const hex = (number: number) => number.toString(16);
    /** Expects about this multiple of a client's quota. A slow store makes the service count some uses twice. */
    const expectTimes = (factor: number, count: number) => {
      expect(count).toBeGreaterThan((factor - 1) * allowedAlone);
      expect(count).toBeLessThan(factor * (allowedAlone + 1));
    };
    expectTimes(4, await countAllowed((count) => `2001:db8:${hex(place)}:${hex(0xab00 + count)}::1`, 8 * allowedAlone));
    expect(await use(`2001:db8:${hex(place)}:ac00::1`)).toBe(true);
    expectTimes(
      16,
      await countAllowed((count) => `2001:db8:${hex(place + 1)}:${hex(count * 256)}::1`, 32 * allowedAlone),
    );
    expect(await use(`2001:db8:${hex(place + 9)}::1`)).toBe(true);
  });
});
