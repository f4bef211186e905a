// A tab: the test of tabs runs this file in pages, and calls it as `tab`.
import {
  createClient,
  createReplica,
  indexedDbStorage,
  pending,
  problem,
  refused,
  type Replica,
  type ReplicaStorage,
  status,
  tasks,
} from 'taskgate-client';
import { runRandomAction } from './acts.ts';
import { contentOf } from './content.ts';

let replica: Replica;
const pendingCalls = new Map<string, () => void>();

function watchStorage(storage: ReplicaStorage): ReplicaStorage {
  return {
    ...storage,
    ...(storage.fallback && { fallback: watchStorage(storage.fallback) }),
    async write(changes) {
      await storage.write(changes);
      for (const key of changes.keys()) pendingCalls.get(key)?.();
    },
  };
}

const stored = (key: string) => new Promise<void>((resolve) => pendingCalls.set(`mutation/${key}`, resolve));

/** Seeded random numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

const tab = {
  async open(url: string): Promise<void> {
    replica = await createReplica({
      client: createClient({ url }),
      storage: watchStorage(indexedDbStorage('account')),
    });
  },
  async add(title: string): Promise<string | undefined> {
    const { key, id } = replica.mutate('createTask', { input: { title } });
    await stored(key);
    return id;
  },
  /** Does something at random. @returns the mutation, once it is stored */
  async act(seed: number): Promise<{ key: string; title?: string }> {
    const made = runRandomAction(replica, randomOf(seed));
    await stored(made.key);
    return made;
  },
  titles: () => replica.read(tasks.all()).map(({ title }) => title),
  status: () => replica.read(status),
  problem: () => replica.read(problem)?.code,
  pending: () => replica.read(pending).length,
  refused: () => replica.read(refused).map(({ key }) => key),
  content: () => contentOf(replica),
  reconnect: () => replica.reconnect(),
  close: () => replica.close(),
  /** Stores records in the format of the first version. */
  storeAsBefore: (records: [key: string, value: unknown][]) =>
    new Promise<void>((resolve) => {
      const opening = indexedDB.open('taskgate:account', 1);
      opening.onupgradeneeded = () => {
        const store = opening.result.createObjectStore('records');
        for (const [key, value] of records) store.put(value, key);
      };
      opening.onsuccess = () => {
        opening.result.close();
        resolve();
      };
    }),
  load: async () => [...(await indexedDbStorage('account').load())],
};

export type Tab = typeof tab;

Object.assign(globalThis, { tab });
