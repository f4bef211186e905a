import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EventStream } from '../changes/sse.ts';
import { cursorOfNow, Socket, Stream } from '../changes/stream.ts';
import { Client } from '../kit/client.ts';
import { type ServiceProcess, spawnService } from '../kit/process.ts';
import { type Service, startService } from '../kit/service.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';
import { currentOf, endSession } from './sessions.ts';

const profile = '/api/v1/user/profile';
const signedOut = { status: 401, body: { code: 'UNAUTHENTICATED' } };

async function openAll({ url }: { url: string }, user: User) {
  const client = new Client(url, user.cookie);
  const after = await cursorOfNow(client);
  return {
    client,
    socket: await Socket.ready(url, user.cookie),
    subscription: await Stream.open({ url }, client),
    events: await EventStream.open({ url }, client, `/api/v2/events?after=${after}`),
  };
}

async function expectAllEnded({ client, socket, subscription, events }: Awaited<ReturnType<typeof openAll>>) {
  expect((await socket.closed).code).toBe(4401);
  expect(['UNAUTHENTICATED', '4401']).toContain(await subscription.ended);
  expect(await events.body).toContain('UNAUTHENTICATED');
  expect(await client.get(profile)).toMatchObject(signedOut);
}

let service: Service;
let other: ServiceProcess | undefined;
beforeAll(async () => {
  service = await startService();
  other = await spawnService({ ...service.variables, LOG_LEVEL: 'warn' });
});
afterAll(async () => {
  other?.signal('SIGKILL');
  await service.close();
});

test('sessions that end elsewhere end at once on every process and transport', async () => {
  const url = other?.url ?? '';
  const anna = await signUp(service);
  const [first, second] = [await signInAgain(service, anna), await signInAgain({ url }, anna)];
  const open = [await openAll(service, first), await openAll({ url }, first)];
  await endSession(anna, await currentOf(first));
  for (const each of open) await expectAllEnded(each);
  const secondStreams = [await openAll(service, second), await openAll({ url }, second)];
  expect(await new Client(url, anna.cookie).data('mutation { endOtherSessions }')).toEqual({ endOtherSessions: 1 });
  for (const each of secondStreams) await expectAllEnded(each);
  for (const origin of [service.url, url]) {
    expect(await new Client(origin, anna.cookie).get(profile)).toMatchObject({ status: 200 });
  }
});
