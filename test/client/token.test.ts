import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient } from 'taskgate-client';
import { WebSocket } from 'ws';
import { cursorOfNow } from '../changes/stream.ts';
import { makeTask } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
});
afterAll(() => service.close());

const changes = 'subscription ($after: String) { taskChanges(after: $after) { kind task { title } } }';

test.each([
  ['a WebSocket', WebSocket as never],
  ['Server-Sent Events', null],
])('a client sends its access token over HTTP and %s', async (_over, webSocket) => {
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

test('a client with a bad one is refused', async () => {
  const client = createClient({ url: service.url, token: 'tg_wrong', maxAttempts: 1 });
  await expect(client.graphql('{ viewer { id } }')).rejects.toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
});
