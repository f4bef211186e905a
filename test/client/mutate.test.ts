import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Client,
  createReplica,
  memoryStorage,
  type MutationHandle,
  pending,
  projects,
  refused,
  type Replica,
  type ReplicaStorage,
  sections,
  tags,
  tasks,
} from 'taskgate-client';
import { makeTask } from '../kit/make.ts';
import { randomName } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { withTimeout } from '../kit/until.ts';
import { contentOf, foreseeable } from './content.ts';
import { clientAs, contentOfService, untilLive, untilShown } from './kit.ts';
import { Network } from './network.ts';

describe('replica.mutate()', () => {
  let service: Service;
  let user: User;
  let network: Network;
  let client: Client;
  const open: Replica[] = [];

  beforeAll(async () => {
    service = await sharedService();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((replica) => replica.close()));
  });

  async function start(storage: ReplicaStorage = memoryStorage()): Promise<Replica> {
    user = await signUp(service);
    network = new Network(user);
    return restart(storage);
  }
  async function restart(storage: ReplicaStorage): Promise<Replica> {
    client = clientAs(service, user, { fetch: network.fetch, webSocket: null });
    const replica = await createReplica({ client, storage });
    open.push(replica);
    if (!network.isCut) await untilLive(replica);
    return replica;
  }

  const settled = (...handles: MutationHandle[]) =>
    withTimeout('the mutations to be settled', Promise.all(handles.map((handle) => handle.settled)));
  const expectEqual = async (replica: Replica) => {
    expect(replica.read(pending)).toEqual([]);
    expect(contentOf(replica)).toEqual(await contentOfService(clientAs(service, user)));
  };

  test('sends the variables of the call, even if the caller changes that object later', async () => {
    const [replica, input] = [await start(), { title: 'Milk' }];
    const handle = replica.mutate('createTask', { input });
    input.title = 'Bread';
    expect(await settled(handle).then(() => replica.read(tasks.byId(handle.id ?? ''))?.title)).toBe('Milk');
  });

  test('shows a mutation at once, and keeps it when it is confirmed', async () => {
    const replica = await start();
    const { id = '', settled: outcome } = replica.mutate('createTask', { input: { title: 'Buy milk' } });
    expect(replica.read(tasks.byId(id))).toMatchObject({ title: 'Buy milk', completed: false });
    expect(replica.read(pending)).toHaveLength(1);
    expect(await outcome).toEqual({ status: 'confirmed' });
    await expectEqual(replica);
  });

  test('shows for each mutation what the service then does', async () => {
    const replica = await start();
    network.isCut = true;
    const id = (handle: MutationHandle) => handle.id ?? '';
    const workspace = id(replica.mutate('createWorkspace', { name: 'Home' }));
    const project = id(replica.mutate('createProject', { name: 'House', workspaceId: workspace }));
    const other = id(replica.mutate('createProject', { name: 'Garden' }));
    const [first, second] = ['One', 'Two'].map((name) =>
      id(replica.mutate('createSection', { projectId: project, name })),
    );
    const tag = id(replica.mutate('createTag', { name: 'urgent' }));
    const gone = id(replica.mutate('createTag', { name: 'gone', color: 'RED' }));
    const parent = id(
      replica.mutate('createTask', {
        input: { title: 'Roof', projectId: project, sectionId: first, tagIds: [gone, tag], dueDate: '2026-12-24' },
      }),
    );
    const child = id(replica.mutate('createTask', { input: { title: 'Tiles', parentId: parent, priority: 'HIGH' } }));
    const inboxed = id(
      replica.mutate('createTask', { input: { title: 'Milk', isAllDay: false, dueTime: '2026-12-24T10:00:00.000Z' } }),
    );
    const titles = ['a', 'b', 'c'];
    const [a = '', b = '', c = ''] = titles.map((title) => id(replica.mutate('createTask', { input: { title } })));
    replica.mutate('moveTask', { id: c, before: a });
    replica.mutate('moveTask', { id: inboxed, after: b });
    replica.mutate('updateTask', { id: child, input: { completed: true, title: 'All tiles' } });
    replica.mutate('updateTask', { id: child, input: { completed: false, description: 'red ones' } });
    replica.mutate('updateTask', { id: inboxed, input: { isAllDay: true } });
    replica.mutate('createComment', { taskId: parent, text: 'Moves along' });
    replica.mutate('updateTask', { id: parent, input: { sectionId: second } });
    replica.mutate('updateTask', { id: parent, input: { projectId: other } });
    const comments = ['gone', ' kept '].map((text) => id(replica.mutate('createComment', { taskId: child, text })));
    const [goneComment = '', keptComment = ''] = comments;
    replica.mutate('deleteComment', { id: goneComment });
    replica.mutate('updateComment', { id: keptComment, text: 'kept ' });
    replica.mutate('updateComment', { id: keptComment, text: ' Hello ' });
    replica.mutate('updateTask', { id: a, input: { parentId: b } });
    replica.mutate('updateTask', { id: b, input: { parentId: parent, projectId: other } });
    replica.mutate('updateTasks', { ids: [b, c], input: { completed: true, tagIds: [tag] } });
    replica.mutate('createTask', { input: { title: 'Sweep', projectId: project, sectionId: first } });
    replica.mutate('updateSection', {
      id: first ?? '',
      name: 'Last',
      prevIndex: replica.read(sections.byId(second ?? ''))?.sortKey,
    });
    replica.mutate('updateSection', { id: first ?? '', projectId: other });
    replica.mutate('deleteSection', { id: second ?? '' });
    replica.mutate('deleteTags', { ids: [gone] });
    replica.mutate('updateTag', { id: tag, name: 'Urgent' });
    replica.mutate('updateProject', { id: other, viewMode: 'BOARD' });
    replica.mutate('updateWorkspace', { id: workspace, name: 'Our home' });
    replica.mutate('updatePreferences', { input: { reminderBefore: 10 } });
    replica.mutate('deleteTask', { id: a });
    replica.mutate('deleteProject', { id: project });
    const kept = id(replica.mutate('createWorkspace', { name: 'Work' }));
    replica.mutate('deleteWorkspace', { id: workspace });

    const displayed = contentOf(replica);
    expect(displayed.workspaces.map(({ id }) => id)).toEqual([kept]);
    network.isCut = false;
    replica.reconnect();
    await untilShown(replica, pending, ({ length }) => length === 0);
    expect(replica.read(refused)).toEqual([]);
    await expectEqual(replica);
    expect(foreseeable(contentOf(replica))).toEqual(foreseeable(displayed));
  });

  test('hides a refused mutation, and reports it until it is dismissed', async () => {
    const storage = memoryStorage();
    const replica = await start(storage);
    const task = await makeTask(user, { title: 'before' });
    await untilShown(replica, tasks.byId(task.id), (shown) => shown !== undefined);
    const bad = replica.mutate('updateTask', { id: task.id, input: { title: '' } });
    const good = replica.mutate('updateTask', { id: task.id, input: { priority: 'LOW' } });
    expect(replica.read(tasks.byId(task.id))?.title).toBe('');
    const [outcome, other] = await settled(bad, good);
    expect(outcome).toMatchObject({
      status: 'refused',
      error: { code: 'VALIDATION_FAILED', errors: [{ path: 'input.title' }] },
    });
    expect(other).toEqual({ status: 'confirmed' });
    expect(replica.read(tasks.byId(task.id))).toMatchObject({ title: 'before', priority: 'LOW' });
    await replica.close();
    const next = await restart(storage);
    expect(next.read(refused)).toMatchObject([{ key: bad.key, error: { code: 'VALIDATION_FAILED' } }]);
    await next.dismiss(bad.key);
    expect(next.read(refused)).toEqual([]);
    await expectEqual(next);
  });

  test('sends mutations that were made offline in order, each once even if responses are lost', async () => {
    const storage = memoryStorage();
    const first = await start(storage);
    network.isCut = true;
    const { id = '' } = first.mutate('createProject', { name: 'Offline' });
    first.mutate('createTask', { input: { title: 'in it', projectId: id } });
    await first.close();
    const replica = await restart(storage);
    expect(replica.read(tasks.byProject(id))).toMatchObject([{ title: 'in it' }]);
    replica.mutate('updateProject', { id, name: 'Online' });
    network.beforeResponse = () => {
      if (network.requests.length % 2 === 1) throw new TypeError('fetch failed');
    };
    network.isCut = false;
    replica.reconnect();
    await untilShown(replica, pending, ({ length }) => length === 0);
    await expectEqual(replica);
    expect(replica.read(projects.byId(id))?.name).toBe('Online');
    const made = [...new Set(network.keys.flat())];
    expect(made).toHaveLength(3);
    expect([...made].sort()).toEqual(made);
    // A retry repeats mutations whose batch is not in the replica yet. It never omits one before a later one.
    for (const keys of network.keys) expect(made.join()).toContain(keys.join());
    expect(await service.sql('SELECT FROM tasks WHERE project_id = $1', [id])).toHaveLength(1);
  });

  test('sends a mutation only once it is stored', async () => {
    const memory = memoryStorage();
    let store: () => void = () => undefined;
    let isHeld = false;
    const heldStorage: ReplicaStorage = {
      ...memory,
      async write(changes) {
        if (isHeld) await new Promise<void>((resolve) => (store = resolve));
        return memory.write(changes);
      },
    };
    const replica = await start(heldStorage);
    await settled(replica.mutate('createTag', { name: 'before' }));
    isHeld = true;
    const { settled: outcome } = replica.mutate('createTag', { name: 'held' });
    // The service has answered two more requests, so everything due is sent.
    replica.reconnect();
    for (const name of ['one', 'two']) await user.post('/api/v2/tag', { name });
    expect(network.sent).toHaveLength(1);
    isHeld = false;
    store();
    expect(await outcome).toEqual({ status: 'confirmed' });
    expect(network.sent).toHaveLength(2);
  });

  test('hides a mutation that cannot be stored', async () => {
    const memory = memoryStorage();
    const replica = await start({
      ...memory,
      write: (changes) =>
        JSON.stringify([...changes]).includes('too much')
          ? Promise.reject(new Error('the quota is reached'))
          : memory.write(changes),
    });
    const [bad] = await settled(replica.mutate('createTag', { name: 'too much' }));
    expect(bad).toMatchObject({ status: 'refused', error: { code: 'STORAGE_FAILED' } });
    expect(replica.read(tags.all())).toEqual([]);
    expect(network.sent).toEqual([]);
    await settled(replica.mutate('createTag', { name: 'enough' }));
    expect(await service.sql('SELECT name FROM tags WHERE space_id = $1', [user.id])).toEqual([{ name: 'enough' }]);
  });

  test('confirms a mutation by its batch, even if the response comes later', async () => {
    const replica = await start();
    let answer: () => void = () => undefined;
    network.beforeResponse = () => new Promise((resolve) => (answer = resolve));
    const { settled: outcome } = replica.mutate('createTag', { name: randomName('tag') });
    expect(await outcome).toEqual({ status: 'confirmed' });
    answer();
    network.beforeResponse = () => undefined;
    await settled(replica.mutate('createTag', { name: randomName('tag') }));
    await expectEqual(replica);
  });

  test('shows a mutation on top of changes by others', async () => {
    const replica = await start();
    const task = await makeTask(user);
    await untilShown(replica, tasks.byId(task.id), (shown) => shown !== undefined);
    let answer: () => void = () => undefined;
    network.beforeResponse = () => new Promise((resolve) => (answer = resolve));
    const blocker = replica.mutate('createTag', { name: 'first' });
    const rename = replica.mutate('updateTask', { id: task.id, input: { title: 'mine' } });
    await user.patch(`/api/v2/todo/${task.id}`, { title: 'theirs', priority: 'high' });
    await untilShown(replica, tasks.byId(task.id), (shown) => shown?.priority === 'HIGH');
    expect(replica.read(tasks.byId(task.id))?.title).toBe('mine');
    network.beforeResponse = () => undefined;
    answer();
    await settled(blocker, rename);
    expect(replica.read(tasks.byId(task.id))).toMatchObject({ title: 'mine', priority: 'HIGH' });
    await expectEqual(replica);
  });

  test('sends nothing of one account with the session of another', async () => {
    const storage = memoryStorage();
    const first = await start(storage);
    const { title } = await makeTask(user);
    await untilShown(first, tasks.all(), ({ length }) => length === 1);
    network.isCut = true;
    const { key } = first.mutate('createTask', { input: { title: 'private' } });
    await first.close();

    user = await signUp(service);
    network = new Network(user);
    const replica = await restart(storage);
    expect(replica.read(refused)).toMatchObject([{ key, error: { code: 'FORBIDDEN' } }]);
    expect(replica.read(tasks.all()).map((task) => task.title)).not.toContain(title);
    await settled(replica.mutate('createTag', { name: 'mine' }));
    await expectEqual(replica);
    expect(await service.sql('SELECT FROM tasks WHERE title = $1', ['private'])).toEqual([]);
  });

  test.each([
    ['', () => Promise.resolve()],
    [
      ', also after their keys have expired',
      () => service.sql('DELETE FROM idempotency_keys WHERE user_id = $1', [user.id]),
    ],
  ])('keeps sent mutations when the account is loaded again%s', async (_when, wait) => {
    const storage = memoryStorage();
    const first = await start(storage);
    // The response is lost, and the replica is cut off until its cursor has expired.
    network.beforeResponse = () => {
      network.isCut = true;
      void first.close();
      throw new TypeError('fetch failed');
    };
    first.mutate('createTag', { name: 'done' });
    await withTimeout(
      'the tag to be made',
      new Promise<void>((resolve) => {
        const before = network.beforeResponse;
        network.beforeResponse = () => {
          resolve();
          return before();
        };
      }),
    );
    await first.close();
    await wait();
    await storage.write(new Map([['cursor', 'expired']]));
    network.isCut = false;
    network.beforeResponse = () => undefined;
    const replica = await restart(storage);
    await untilShown(replica, pending, ({ length }) => length === 0);
    expect(replica.read(tags.all()).map(({ name }) => name)).toEqual(['done']);
    expect(replica.read(refused)).toEqual([]);
    await expectEqual(replica);
  });
});
