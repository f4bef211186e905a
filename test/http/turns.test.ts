import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';
import { until } from '../kit/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ RATE_LIMITS: 'on', RATE_LIMIT_GRAPHQL_COST: '20000/3600' });
});
afterAll(() => service.close());
afterEach(() => void jest.restoreAllMocks());

test('refusals of a client, and requests of strangers, take turns of the event loop, and delay no other request', async () => {
  const [anna, ben] = [await signUp(service), await signUp(service)];
  let asked = 0;
  const ask = () =>
    anna.post('/graphql', {
      query: `query Q${(asked += 1)} { tasks(first: 500) { nodes { id title children { id } } } }`,
    });
  await until('the session has used up its limit', async () => (await ask()).status === 429);
  const keys: string[] = [];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  jest.spyOn(service.services.turns, 'next').mockImplementation((key) => {
    keys.push(key);
    return held;
  });
  const waiting = [
    ask(),
    service.anonymous.get('/api/v1/auth-check'),
    service.client('sid=s%3Aforged.x').get('/api/v1/auth-check'),
    service.anonymous.get('/api/openapi.json'),
    service.client('sid=s%3Aforged.x').get('/nothing'),
    service.anonymous.post('/mcp', {}),
  ].map(async (answer) => (await answer).status);
  await until('all of them wait', () => Promise.resolve(keys.length === waiting.length));
  expect((await ben.get('/api/v2/todo')).status).toBe(200);
  expect(keys).toEqual(waiting.map(() => '127.0.0.1'));
  release();
  expect(await Promise.all(waiting)).toEqual([429, 200, 200, 200, 404, 401]);
});
