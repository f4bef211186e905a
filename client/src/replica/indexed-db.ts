import type { ReplicaStorage } from './storage.ts';

const storeName = 'records';

/**
 * A storage in the browser's IndexedDB. Tabs of the same origin that name it alike share it, and one connection to the service.
 * @param name one for each account, such as its e-mail address
 */
export function indexedDbStorage(name: string): ReplicaStorage {
  const sharedAs = `taskgate:${name}`;
  let opened: Promise<IDBDatabase> | undefined;
  const database = () => (opened ??= open(sharedAs));
  return {
    sharedAs,
    async load() {
      const transaction = (await database()).transaction(storeName);
      const store = transaction.objectStore(storeName);
      const [keys, values] = [store.getAllKeys(), store.getAll()];
      await done(transaction);
      return new Map((keys.result as string[]).map((key, index): [string, unknown] => [key, values.result[index]]));
    },
    async write(changes) {
      const transaction = (await database()).transaction(storeName, 'readwrite');
      const store = transaction.objectStore(storeName);
      for (const [key, value] of changes) {
        if (value === undefined) store.delete(key);
        else store.put(value, key);
      }
      transaction.commit();
      await done(transaction);
    },
    async close() {
      // A transaction that runs is finished all the same.
      (await opened)?.close();
      opened = undefined;
    },
  };
}

function open(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => void request.result.createObjectStore(storeName);
    request.onsuccess = () => {
      // Whoever deletes the database, or has a later version of it, does not wait for this tab.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
}

function done(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}
