import { memoryStorage, type ReplicaStorage } from './storage.ts';

/** Its values are JSON, because many texts are read much faster than as many objects. */
const storeName = 'records';

/**
 * A storage in IndexedDB. Tabs of an origin share a storage by name, and one connection to the service. If the browser forbids IndexedDB,
 * the replica stays in memory.
 * @param name unique for each account, such as its id
 */
export function indexedDbStorage(name: string): ReplicaStorage {
  const sharedAs = `taskgate:${name}`;
  let database: IDBDatabase | undefined;
  const close = () => {
    // A running transaction still completes.
    database?.close();
    database = undefined;
  };
  const run = async <Result>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => Result): Promise<Result> => {
    if (!database) throw new Error('the database is closed');
    try {
      const transaction = database.transaction(storeName, mode);
      const result = work(transaction.objectStore(storeName));
      transaction.commit();
      await waitForCompletion(transaction);
      return result;
    } catch (error) {
      // The next `load` opens another connection.
      close();
      throw error;
    }
  };
  return {
    sharedAs,
    fallback: memoryStorage(),
    async load() {
      database ??= await open(sharedAs, close);
      const [keys, values] = await run('readonly', (store) => [store.getAllKeys(), store.getAll()] as const);
      // Each access to a result is slow, because it leaves the JavaScript engine.
      const [recordKeys, texts] = [keys.result as string[], values.result as string[]];
      const records = JSON.parse(`[${texts.join()}]`) as unknown[];
      return new Map(recordKeys.map((name, index) => [name, records[index]]));
    },
    write: (changes) =>
      run('readwrite', (store) => {
        for (const [key, value] of changes) {
          if (value === undefined) store.delete(key);
          else store.put(JSON.stringify(value), key);
        }
      }),
    close: () => Promise.resolve(close()),
  };
}

/** @param onLost called if the database is deleted, upgraded by a later version, or broken */
function open(name: string, onLost: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 2);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion === 0) return void request.result.createObjectStore(storeName);
      // Version 1 stored values without JSON.
      const cursors = request.transaction?.objectStore(storeName).openCursor();
      if (cursors)
        cursors.onsuccess = () => {
          const cursor = cursors.result;
          cursor?.update(JSON.stringify(cursor.value));
          cursor?.continue();
        };
    };
    request.onsuccess = () => {
      request.result.onversionchange = onLost;
      request.result.onclose = onLost;
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
}

function waitForCompletion(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}
