import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createReplica, memoryStorage, problem, type Replica, type ReplicaStorage, tasks } from 'taskgate-client';
import { makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { contentOf } from './content.ts';
import { clientAs, contentOfService, untilLive, untilShown } from './kit.ts';

/**
 * A storage that can be lost, like a deleted IndexedDB: it is then empty, and accepts nothing before it is loaded
 * again.
 */
class LosableStorage implements ReplicaStorage {
  #records = memoryStorage();
  #isOpen = false;
  failure: Error | undefined;

  loseRecords(): void {
    this.#records = memoryStorage();
    this.#isOpen = false;
  }

  load() {
    this.#isOpen = true;
    return this.#records.load();
  }

  write(changes: ReadonlyMap<string, unknown>) {
    if (this.failure) return Promise.reject(this.failure);
    return this.#isOpen ? this.#records.write(changes) : Promise.reject(new Error('the connection is closed'));
  }

  close() {
    return Promise.resolve();
  }
}

describe('the storage of a replica', () => {
  let service: Service;
  let anna: User;
  const openedReplicas: Replica[] = [];
  beforeAll(async () => {
    service = await sharedService();
  });
  afterEach(async () => {
    await Promise.all(openedReplicas.splice(0).map((replica) => replica.close()));
  });

  const open = async (storage: ReplicaStorage, { cookie }: { cookie?: string } = anna) => {
    const replica = await createReplica({ client: clientAs(service, { cookie }), storage });
    openedReplicas.push(replica);
    return replica;
  };
  const offline = (storage: ReplicaStorage) => open(storage, {});
  const untilTask = (replica: Replica, id: string) => untilShown(replica, tasks.byId(id), (task) => task !== undefined);

  test('is filled again after it was lost, and the replica stays live', async () => {
    anna = await signUp(service);
    const first = await makeTask(anna);
    const storage = new LosableStorage();
    const replica = await open(storage);
    await untilLive(replica);
    const problems: unknown[] = [];
    replica.subscribe(problem, (now) => problems.push(now));
    storage.loseRecords();
    const second = await makeTask(anna);
    await untilTask(replica, second.id);
    storage.loseRecords();
    const handle = replica.mutate('createTask', { input: { title: 'after it was lost' } });
    expect(await handle.settled).toEqual({ status: 'confirmed' });
    expect(problems).toEqual([]);

    const next = await offline(storage);
    expect(contentOf(next)).toEqual(await contentOfService(clientAs(service, anna)));
    expect(next.read(tasks.byId(first.id))).toBeDefined();
  });

  test('gets unsent mutations again after it was lost', async () => {
    anna = await signUp(service);
    const storage = new LosableStorage();
    await untilLive(await open(storage));
    await openedReplicas.pop()?.close();
    const replica = await offline(storage);
    const unsentHandle = replica.mutate('createTask', { input: { title: 'unsent' } });
    await replica.dismiss('nothing');
    storage.loseRecords();
    replica.mutate('createTask', { input: { title: 'the next one' } });
    await replica.close();
    const next = await open(storage);
    expect(next.read(tasks.all()).map(({ title }) => title)).toEqual(['unsent', 'the next one']);
    await untilShown(next, tasks.byId(unsentHandle.id ?? ''), (task) => task !== undefined);
  });

  test('is the problem of the replica while it is full', async () => {
    anna = await signUp(service);
    const storage = new LosableStorage();
    const replica = await open(storage);
    await untilLive(replica);
    storage.failure = new DOMException('The disk is full', 'QuotaExceededError');
    const task = await makeTask(anna);
    const reported = await untilShown(replica, problem, (now) => now !== undefined);
    expect(reported).toMatchObject({ name: 'TaskgateError', code: 'STORAGE_FAILED' });
    storage.failure = undefined;
    await untilTask(replica, task.id);
    await untilLive(replica);
    expect(replica.read(problem)).toBeUndefined();
  });

  test('makes createReplica() reject if it cannot be opened', async () => {
    anna = await signUp(service);
    const cause = new DOMException('denied', 'SecurityError');
    const storage = { ...memoryStorage(), load: () => Promise.reject(cause) };
    await expect(open(storage)).rejects.toMatchObject({ name: 'TaskgateError', code: 'STORAGE_FAILED' });
  });

  test('is replaced by its fallback if it cannot be opened, and the problem reports that', async () => {
    anna = await signUp(service);
    const cause = new DOMException('denied', 'SecurityError');
    const fallback = memoryStorage();
    const replica = await open({ ...memoryStorage(), load: () => Promise.reject(cause), fallback });
    expect(replica.read(problem)).toMatchObject({ code: 'STORAGE_FAILED' });
    await untilLive(replica);
    expect(replica.read(problem)).toMatchObject({ code: 'STORAGE_FAILED' });
    expect((await fallback.load()).size).toBeGreaterThan(0);
  });
});
