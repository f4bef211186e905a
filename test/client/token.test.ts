import { beforeAll, expect, test } from '@jest/globals';
import { createClient, createReplica, memoryStorage, tasks, user } from 'taskgate-client';
import { WebSocket } from 'ws';
import { cursorOfNow } from '../changes/stream.ts';
import { makeTask } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { untilLive, untilShown } from './kit.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

const changes = 'subscription ($after: String) { taskChanges(after: $after) { kind task { title } } }';

test.each([
  ['a WebSocket', WebSocket as never],
  ['Server-Sent Events', null],
])('a client sends its access token over HTTP and %s', async (_label, webSocket) => {
  const { token } = await makeProgram(service, anna);
  const client = createClient({ url: service.url, token, webSocket });
  expect(await client.graphql('{ viewer { id } }')).toEqual({ viewer: { id: anna.id } });
  const { user } = await client.rest.getProfile();
  expect(user.email).toBe(anna.email);
  const after = await cursorOfNow(anna);
  const { title } = await makeTask(anna);
  const events = client.subscribe(changes, { after });
  expect(await events.next()).toEqual({ done: false, value: { taskChanges: { kind: 'CREATED', task: { title } } } });
  await events.return(undefined);
  client.close();
});

test('a replica with an access token holds the data that the token may read', async () => {
  const { token } = await makeProgram(service, anna);
  const client = createClient({ url: service.url, token, webSocket: null });
  const replica = await createReplica({ client, storage: memoryStorage() });
  await untilLive(replica);
  const { id } = await makeTask(anna);
  await untilShown(replica, tasks.byId(id), (task) => task !== undefined);
  expect(replica.read(user)).toMatchObject({ id: anna.id });
  expect(replica.read(user)).not.toHaveProperty('invitations');
  await replica.close();
});

test('a client with an invalid access token is refused', async () => {
  const client = createClient({ url: service.url, token: 'tg_wrong', maxAttempts: 1 });
  await expect(client.graphql('{ viewer { id } }')).rejects.toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
});
