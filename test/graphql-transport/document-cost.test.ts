import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { registry } from '@taskgate/base';
import { Socket } from '../changes/stream.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { csrf, query, rateLimitOf, untilRefused } from '../http/standings.ts';

let service: Service;

const renameUser = (user: User) => user.put('/api/v1/user/name', { name: 'Anna' });

/** Sends an uncached document that costs a fifth of the session's quota. */
const sendFreshQuery = (user: User) =>
  user.post('/graphql', query(`{ viewer { id } } # ${crypto.randomUUID()}${' '.repeat(1000)}`));

async function countInvalid(): Promise<number> {
  const { values } = (await registry.getSingleMetric('taskgate_graphql_requests_refused_total')?.get()) ?? {
    values: [],
  };
  return values.find(({ labels }) => labels['code'] === 'VALIDATION_FAILED')?.value ?? 0;
}

describe('the cost of documents', () => {
  beforeAll(async () => {
    service = await startService({ RATE_LIMITS: 'on', RATE_LIMIT_WRITES: '8/60', RATE_LIMIT_GRAPHQL_COST: '50000/60' });
  });
  afterAll(() => service.close());

  test('counts an uncached document by its length, whatever its result, and a cached one not', async () => {
    const anna = await signUp(service);
    const remaining = async (text: string) => rateLimitOf(await anna.post('/graphql', query(text))).remaining;
    const text = (comment: string) => `{ viewer { id } } # ${comment}${' '.repeat(500)}`;
    const first = await remaining(text('first'));
    const second = await remaining(text('second'));
    expect(first - second).toBeGreaterThan(5 * text('second').length);
    // Its variables keep it from the response cache.
    const secondQuery = anna.post('/graphql', { query: text('second'), variables: { unknown: 1 } });
    expect(second - rateLimitOf(await secondQuery).remaining).toBeLessThan(500);
    const invalid = `{ nothing } # ${' '.repeat(500)}`;
    const third = await remaining(text('third'));
    expect(third - (await remaining(invalid))).toBeGreaterThanOrEqual(5 * invalid.length);
  });

  test.each(['HTTP', 'WebSocket'])(
    'parses nothing over %s for a client without remaining points',
    async (transport) => {
      const anna = await signUp(service);
      const socket = await Socket.ready(service.url, anna.cookie);
      await untilRefused(() => sendFreshQuery(anna));
      const before = await countInvalid();
      for (let id = 0; id < 5; id += 1) {
        const payload = query('{ viewer { id }');
        if (transport === 'HTTP')
          expect(rateLimitOf(await anna.post('/graphql', payload))).toMatchObject({
            name: 'graphql-cost-of-session',
            remaining: 0,
          });
        else {
          socket.send({ type: 'subscribe', id: String(id), payload });
          const refusal = { extensions: { code: 'RATE_LIMITED', retryAfter: expect.any(Number) } };
          expect(await socket.messages.take()).toMatchObject({ type: 'error', payload: [refusal] });
        }
      }
      expect(await countInvalid()).toBe(before);
      socket.close();
    },
  );

  test('applies to documents that are only checked for mutations', async () => {
    const anna = await signUp(service);
    await untilRefused(() => renameUser(anna));
    const write = () =>
      anna.post('/graphql', query(`mutation { signOut } # ${crypto.randomUUID()}${' '.repeat(2000)}`));
    expect(rateLimitOf(await write())).toMatchObject({ name: 'writes-of-session', remaining: 0 });
    for (let count = 0; count < 3; count += 1) await write();
    const refused = rateLimitOf(await anna.post('/graphql', query('{ viewer { id } }')));
    expect(refused).toMatchObject({ name: 'graphql-cost-of-session', remaining: 0 });
    // The session is refused, not its network.
    const { status } = await service.anonymous.post('/graphql', query('{ viewer { id } }'), { headers: csrf });
    expect(status).toBe(200);
  });
});
