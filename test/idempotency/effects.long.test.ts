import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { loadOf } from '../../packages/work/load.ts';
import { Socket, Stream } from '../changes/stream.ts';
import { deadlocks, type LockHolder, openLockHolder, lockSpaces, untilIdle, untilWaiting } from '../kit/locks.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { until } from '../kit/until.ts';
import { isReplayed, keysOf, mutate, newKey, titlesOf, withKey } from './keyed.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

let lockHolder: LockHolder | undefined;
afterEach(() => lockHolder?.release());

/** Returns the earlier mails to an address. The code of a new request ends the list. */
async function mailsTo(email: string): Promise<string[]> {
  await service.anonymous.post('/api/v1/user/signup/send-otp', { email });
  const subjects: string[] = [];
  for (;;) {
    const { subject, text } = await service.mailbox.take(email);
    if (/\b\d{6}\b/.test(text)) return subjects;
    subjects.push(subject);
  }
}

describe('effects outside the database', () => {
  const invite = (workspaceId: string, email: string, furtherFields = '') =>
    `mutation { inviteToWorkspace(workspaceId: "${workspaceId}", email: "${email}") { id } ${furtherFields} }`;

  test('a mail is sent once, and none after a rollback', async () => {
    const [anna, email, key] = [await signUp(service), randomEmail(), newKey()];
    const { id } = await makeWorkspace(anna);
    const failed = await mutate(anna, invite(id, email, 'deleteTask(id: "task_none")'), { key });
    expect(failed.body.errors).toHaveLength(1);
    expect(await mailsTo(email)).toEqual([]);
    for (let count = 0; count < 2; count += 1) {
      expect((await mutate(anna, invite(id, email), { key })).body.errors).toBeUndefined();
    }
    expect(await mailsTo(email)).toHaveLength(1);
  });

  test('an avatar is removed only when the next one exists', async () => {
    const anna = await signUp(service);
    const upload = async (red: number, key: string) => {
      const form = new FormData();
      const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: { r: red, g: 0, b: 0 } } }).png();
      form.set('name', 'Anna');
      form.set('image', new Blob([await picture.toBuffer()]), 'me');
      return anna.post('/api/v1/user/profile', form, withKey(key));
    };
    const imageOf = async () => (await anna.get<{ user: { image: string } }>('/api/v1/user/profile')).body.user.image;
    const statusOf = async (image: string) => (await fetch(image)).status;
    const key = newKey();
    expect((await upload(1, newKey())).status).toBe(200);
    const first = await imageOf();
    expect(await statusOf(first)).toBe(200);
    expect((await upload(2, key)).status).toBe(200);
    expect(isReplayed(await upload(2, key))).toBe(true);
    expect((await upload(3, key)).status).toBe(422);
    expect([await statusOf(first), await statusOf(await imageOf())]).toEqual([404, 200]);
  });

  test('subscribers receive it once', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const workspace = await makeWorkspace(anna, ben);
    const { id: projectId } = await makeProject(anna, { workspaceId: workspace.id });
    const streams = [await Stream.open(service, anna), await Stream.open(service, ben)];
    const key = newKey();
    for (let count = 0; count < 3; count += 1) {
      await anna.post('/api/v2/todo', { title: 'milk', projectId }, withKey(key));
    }
    await mutate(anna, 'mutation { deleteTags(ids: []) { count } }', { key: newKey() });
    await anna.post('/api/v2/todo', { title: 'bread', projectId }, withKey(newKey()));
    for (const stream of streams) {
      const changes = await stream.takeMany(2);
      expect(changes.map(({ kind, task }) => [kind, task?.title])).toEqual([
        ['CREATED', 'milk'],
        ['CREATED', 'bread'],
      ]);
      expect(stream.changes.size).toBe(0);
      stream.close();
    }
  });
});

describe('the position among the changes', () => {
  interface StoredKey {
    key: string;
    revision: number;
  }
  const storedKeys = (user: User) =>
    service.sql<StoredKey>('SELECT key, revision::int FROM idempotency_keys WHERE user_id = $1 ORDER BY revision', [
      user.id,
    ]);
  const revision = async (id: string) =>
    (await service.sql<{ revision: number }>('SELECT revision::int FROM spaces WHERE id = $1', [id]))[0]?.revision ?? 0;

  test('each key raises the revision of the personal space after its effect, without a log entry', async () => {
    const anna = await signUp(service);
    const workspace = await makeWorkspace(anna);
    const { id: projectId } = await makeProject(anna, { workspaceId: workspace.id });
    const before = await revision(anna.id);
    const keys = [newKey(), newKey(), newKey()];
    await anna.post('/api/v2/todo', { title: 'own' }, withKey(keys[0] ?? ''));
    await anna.post('/api/v2/todo', { title: 'shared', projectId }, withKey(keys[1] ?? ''));
    await mutate(anna, 'mutation { deleteTags(ids: []) { count } }', { key: keys[2] ?? '' });
    expect(await storedKeys(anna)).toEqual([
      { key: keys[0], revision: before + 2 },
      { key: keys[1], revision: before + 3 },
      { key: keys[2], revision: before + 4 },
    ]);
    expect(await revision(anna.id)).toBe(before + 4);
    const [last] = await service.sql<{ revision: number }>(
      'SELECT max(revision)::int AS revision FROM changes WHERE space_id = $1',
      [anna.id],
    );
    expect(last?.revision).toBe(before + 1);
  });

  test('a key and its changes in every space have the same transaction', async () => {
    const anna = await signUp(service);
    const workspace = await makeWorkspace(anna);
    const { id: projectId } = await makeProject(anna, { workspaceId: workspace.id });
    await anna.post('/api/v2/todo', { title: 'shared', projectId }, withKey(newKey()));
    const changes = await service.sql(
      `SELECT space_id FROM changes JOIN idempotency_keys USING (transaction_id) WHERE user_id = $1`,
      [anna.id],
    );
    expect(changes).toEqual([{ space_id: workspace.id }]);
  });
});

describe('simultaneous writers', () => {
  test('operations with several mutations do not deadlock', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const [first, second] = [await makeWorkspace(anna, ben), await makeWorkspace(anna, ben)];
    const projects = [
      (await makeProject(anna, { workspaceId: first.id })).id,
      (await makeProject(anna, { workspaceId: second.id })).id,
    ];
    const firstOrder = `mutation {
      a: createTask(input: { title: "x", projectId: "${projects[0]}" }) { id }
      b: createTask(input: { title: "x", projectId: "${projects[1]}" }) { id }
      c: createTask(input: { title: "x" }) { id }
    }`;
    const reverseOrder = `mutation {
      c: createTask(input: { title: "x" }) { id }
      b: createTask(input: { title: "x", projectId: "${projects[1]}" }) { id }
      a: createTask(input: { title: "x", projectId: "${projects[0]}" }) { id }
    }`;
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => [
        mutate(anna, firstOrder, { key: newKey() }),
        mutate(ben, reverseOrder, { key: newKey() }),
        makeTask(anna, { projectId: projects[1] }).then(() => undefined),
      ]).flat(),
    );
    for (const answer of answers) expect(answer?.body.errors).toBeUndefined();
    expect(await deadlocks(service)).toBe(0);
    await until('the service has connections again', async () => (await anna.get('/readyz')).status === 200);
  });

  test('an operation with a conflict is repeated as a whole', async () => {
    const [anna, key] = [await signUp(service), newKey()];
    const workspace = await makeWorkspace(anna);
    const { id: projectId } = await makeProject(anna, { workspaceId: workspace.id });
    const moved = await makeTask(anna, { projectId });
    // The task moves to another space before the lock, so the write conflicts and starts over.
    lockHolder = await openLockHolder(service);
    await lockHolder.sql('SELECT lock_spaces($1)', [[workspace.id, anna.id]]);
    const answer = anna.patch(`/api/v2/todo/${moved.id}`, { title: 'new' }, withKey(key));
    await untilWaiting(service, 1);
    const { id: inbox } = (
      await service.sql<{ id: string }>('SELECT id FROM projects WHERE space_id = $1 AND is_default', [anna.id])
    )[0] ?? { id: '' };
    await lockHolder.sql('UPDATE tasks SET space_id = $1, project_id = $2 WHERE id = $3', [anna.id, inbox, moved.id]);
    await lockHolder.release();
    expect((await answer).status).toBe(200);
    expect([await titlesOf(service, anna), await keysOf(service, anna)]).toEqual([['new'], [key]]);
  });

  test('a session that ends before the write leaves nothing behind', async () => {
    const [anna, key] = [await signUp(service), newKey()];
    lockHolder = await lockSpaces(service, anna.id);
    const answer = anna.post('/api/v2/todo', { title: 'milk' }, withKey(key));
    await untilWaiting(service, 1);
    await service.sql('UPDATE sessions SET expire = created_at WHERE user_id = $1', [anna.id]);
    await lockHolder.release();
    expect((await answer).status).toBe(401);
    expect([await titlesOf(service, anna), await keysOf(service, anna)]).toEqual([[], []]);
  });

  test('a session that ends while its retry waits does not get the response', async () => {
    const [anna, key] = [await signUp(service), newKey()];
    await anna.post('/api/v2/todo', { title: 'milk' }, withKey(key));
    lockHolder = await lockSpaces(service, anna.id);
    // These take all slots of the space: the retry waits behind them.
    const before = [1, 2].map(() => anna.post('/api/v2/todo', { title: 'bread' }, withKey(newKey())));
    await untilWaiting(service, 2);
    const repeated = anna.post('/api/v2/todo', { title: 'milk' }, withKey(key));
    await until('the retry waits', () => loadOf('writes').waiting === 1);
    await service.sql('UPDATE sessions SET expire = created_at WHERE user_id = $1', [anna.id]);
    await lockHolder.release();
    const statuses = (await Promise.all([...before, repeated])).map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 401]);
  });

  test('an operation is finished and stored if its client hangs up', async () => {
    const [anna, key] = [await signUp(service), newKey()];
    lockHolder = await lockSpaces(service, anna.id);
    const clientGone = new AbortController();
    const abandonedRequest = anna.post(
      '/api/v2/todo',
      { title: 'milk' },
      { ...withKey(key), signal: clientGone.signal },
    );
    await untilWaiting(service, 1);
    clientGone.abort();
    await expect(abandonedRequest).rejects.toThrow();
    await lockHolder.release();
    await untilIdle(service);
    await until('the key is kept', async () => (await keysOf(service, anna)).length === 1);
    expect(isReplayed(await anna.post('/api/v2/todo', { title: 'milk' }, withKey(key)))).toBe(true);
    expect(await titlesOf(service, anna)).toEqual(['milk']);
  });

  test('nobody else sees uncommitted effects', async () => {
    const anna = await signUp(service);
    const workspace = await makeWorkspace(anna);
    const email = randomEmail();
    lockHolder = await openLockHolder(service);
    await lockHolder.sql('SELECT lock_addresses($1)', [[email]]);
    const socket = await Socket.ready(service.url, anna.cookie);
    const query = `mutation {
      createTag(name: "home") { id }
      inviteToWorkspace(workspaceId: "${workspace.id}", email: "${email}") { id }
    }`;
    socket.send({ type: 'subscribe', id: '1', payload: { query, extensions: { idempotencyKey: newKey() } } });
    await untilWaiting(service, 1);
    expect(await anna.data('{ tags { name } }')).toEqual({ tags: [] });
    await lockHolder.release();
    expect(await socket.messages.take()).toMatchObject({ type: 'next', payload: { data: { createTag: {} } } });
    expect(await anna.data('{ tags { name } }')).toEqual({ tags: [{ name: 'home' }] });
    socket.close();
  });
});
