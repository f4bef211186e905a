import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Point } from '@taskgate/postgres';
import { Hub } from '../../src/changes/live/hub.ts';
import type { Transaction } from '../../src/changes/log/page.ts';
import { holdIntervals, releaseIntervals } from '../kit/intervals.ts';
import { addMember, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signInAgain, signUp } from '../kit/users.ts';
import { Socket, Stream } from './stream.ts';

// The slow poll would find all this too. It never runs here.
let service: Service;
let advance: (milliseconds: number) => void;
beforeAll(async () => {
  advance = holdIntervals();
  service = await startService();
});
afterAll(async () => {
  await service.close();
  releaseIntervals();
});

describe('a socket without operations is closed with 4401 at once', () => {
  test('by sign-out, and no other', async () => {
    const anna = await signUp(service);
    const secondSession = await signInAgain(service, anna);
    const [socket, other] = [
      await Socket.ready(service.url, anna.cookie),
      await Socket.ready(service.url, secondSession.cookie),
    ];
    // After a round trip, the service is done with the opening of the sockets.
    for (const each of [socket, other]) await each.run('{ viewer { id } }');
    await anna.post('/api/v1/user/logout');
    expect(await socket.closed).toMatchObject({ code: 4401 });
    expect(await other.run('{ viewer { id } }')).toMatchObject({ payload: { data: { viewer: { id: anna.id } } } });
    other.close();
  });

  test('even before its first message', async () => {
    const anna = await signUp(service);
    const socket = await Socket.open(service.url, anna.cookie);
    await anna.post('/api/v1/user/logout');
    expect(await socket.closed).toMatchObject({ code: 4401 });
  });

  test('by a change of password elsewhere', async () => {
    const anna = await signUp(service);
    const secondSession = await signInAgain(service, anna);
    const [own, other] = [
      await Socket.ready(service.url, secondSession.cookie),
      await Socket.ready(service.url, anna.cookie),
    ];
    for (const each of [own, other]) await each.run('{ viewer { id } }');
    await secondSession.put('/api/v1/user/password', {
      currentPassword: anna.password,
      newPassword: 'another',
      confirmNewPassword: 'another',
    });
    expect(await other.closed).toMatchObject({ code: 4401 });
    expect(await own.run('{ viewer { id } }')).toMatchObject({ type: 'next' });
    own.close();
  });

  test('by another sign-in that replaces its session', async () => {
    const anna = await signUp(service);
    const socket = await Socket.ready(service.url, anna.cookie);
    await socket.run('{ viewer { id } }');
    await anna.post('/api/v1/user/signin', { email: anna.email, password: anna.password });
    expect(await socket.closed).toMatchObject({ code: 4401 });
  });
});

test('a socket without operations whose session expires is closed with 4401 at the next slow poll', async () => {
  const anna = await signUp(service);
  const socket = await Socket.ready(service.url, anna.cookie);
  await socket.run('{ viewer { id } }');
  await service.sql("UPDATE sessions SET expire = now() - interval '1 second' WHERE user_id = $1", [anna.id]);
  advance(2000);
  expect(await socket.closed).toMatchObject({ code: 4401 });
});

const silentSubscriber = {
  push: () => undefined,
  advance: () => undefined,
  fallBehind: () => undefined,
  recheck: () => Promise.resolve(),
};

test('changes during the start of a subscription are read without a notification', async () => {
  const anna = await signUp(service);
  const [point] = await service.sql<Point>(
    'SELECT revision::int, history_nonce AS "historyNonce" FROM spaces WHERE id = $1',
    [anna.id],
  );
  if (!point) throw new Error('a user has a space');
  const { id } = await makeTask(anna);
  const hub = new Hub(service.services.connections);
  const { rows } = await new Promise<Transaction>((push) => {
    hub.watch({ ...silentSubscriber, userId: anna.id, push }, anna.id, point);
  });
  expect(rows).toMatchObject([{ kind: 'CREATED', taskId: id }]);
  await hub.close();
});

test('a new member receives the changes in the workspace at once', async () => {
  const [anna, ben] = [await signUp(service), await signUp(service)];
  const workspace = await makeWorkspace(anna);
  const { id: projectId } = await makeProject(anna, { workspaceId: workspace.id });
  const stream = await Stream.open(service, ben);
  await makeTask(ben);
  await stream.take();
  await addMember(anna, workspace.id, ben);
  const { id } = await makeTask(anna, { projectId });
  expect(await stream.take()).toMatchObject({ kind: 'CREATED', taskId: id });
  stream.close();
});
