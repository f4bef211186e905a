import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { EventStream } from '../changes/sse.ts';
import { makeTask } from '../kit/make.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, signUpByMail, type User } from '../kit/users.ts';

const running = new Set<Service>();
let one: Service;
let other: Service;
let anna: User;

async function start(...options: Parameters<typeof startService>): Promise<Service> {
  const service = await startService(...options);
  running.add(service);
  return service;
}
async function end(service: Service): Promise<void> {
  running.delete(service);
  await service.close();
}

beforeEach(async () => {
  const databaseUrl = await createTestDatabase();
  const secret = { SESSION_SECRET: 'the same for both of the two apps' };
  one = await start({ ...secret, RATE_LIMITS: 'on', RATE_LIMIT_SOCKETS: '1' }, { databaseUrl });
  // One installation: either process may send mails that the other has planned.
  other = await start({ ...secret, DATA_DIR: one.dataDir }, { databaseUrl });
  anna = await signUp(one);
});
afterEach(() => Promise.all([...running].map(end)));

const otherClient = () => other.client(anna.cookie);
const subscribe = (service: Service) => EventStream.open(service, anna, '/api/v2/events');

test('each plans mails, which either sends', async () => {
  for (const service of [one, other]) await expect(signUpByMail(service)).resolves.toBeDefined();
});

test('each counts its own open connections, within its own limits', async () => {
  const streams = [await subscribe(one), await subscribe(other), await subscribe(other)];
  const refusedSubscription = await subscribe(one);
  expect([...streams, refusedSubscription].map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  for (const stream of streams) stream.close();
});

test('each responds from its own cache', async () => {
  await anna.get('/api/v2/tag');
  const before = { one: one.services.responses.size, other: other.services.responses.size };
  await otherClient().get('/api/v2/tag');
  expect({ one: one.services.responses.size, other: other.services.responses.size }).toEqual({
    one: before.one,
    other: before.other + 1,
  });
});

test('the end of one ends nothing of the other', async () => {
  const streams = [await subscribe(one), await subscribe(other)] as const;
  await end(one);
  await streams[0].body;
  const { id } = await makeTask(otherClient());
  const { data = '' } = await streams[1].take();
  expect(JSON.parse(data)).toMatchObject({ kind: 'created', taskId: id });
  streams[1].close();
  expect(await otherClient().get('/readyz')).toMatchObject({ status: 200 });
});

test('an app that cannot be created leaves the process unchanged', async () => {
  const databaseUrl = 'postgres://nobody@127.0.0.1:1/none';
  await expect(startService({}, { databaseUrl, serviceDatabaseUrl: databaseUrl })).rejects.toThrow();
  await Promise.all([one, other].map(end));
  await expect(startService({}, { databaseUrl, serviceDatabaseUrl: databaseUrl })).rejects.toThrow(
    /ECONNREFUSED|connect/,
  );
  other = await start();
  expect(await other.anonymous.get('/readyz')).toMatchObject({ status: 200 });
});
