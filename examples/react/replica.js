import { useEffect, useState, useSyncExternalStore } from 'react';
import { createClient, createReplica, indexedDbStorage } from 'taskgate-client';

export const client = createClient({ url: location.origin });

/** A copy of the account, which outlives the page, once it is open; or why it cannot be. Tabs of an account share it. */
export function useReplica(email) {
  const [opened, setOpened] = useState({});
  useEffect(() => {
    const opening = createReplica({ client, storage: indexedDbStorage(email) });
    opening.then(
      (replica) => setOpened({ replica }),
      (error) => setOpened({ error }),
    );
    return () => void opening.then((replica) => replica.close()).catch(() => undefined);
  }, [email]);
  return opened;
}

/** What a query of the replica gives, as it changes. Make the query once: outside of the component, or by useMemo. */
export const useQuery = (replica, query) =>
  useSyncExternalStore(
    (listener) => replica.subscribe(query, listener),
    () => replica.read(query),
  );
