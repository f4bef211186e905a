import { useEffect, useState, useSyncExternalStore } from 'react';
import { createClient, createReplica, indexedDbStorage } from 'taskgate-client';

export const client = createClient({ url: location.origin });

/**
 * A copy of the account, which outlives the page, once it is open; or why it cannot be. Tabs of an account share it; a session of
 * another account reads and writes none of it. @param account its id
 */
export function useReplica(account) {
  const [opened, setOpened] = useState({});
  useEffect(() => {
    const opening = createReplica({ client, storage: indexedDbStorage(account), account });
    opening.then(
      (replica) => setOpened({ replica }),
      (error) => setOpened({ error }),
    );
    return () => void opening.then((replica) => replica.close()).catch(() => undefined);
  }, [account]);
  return opened;
}

/** What a query of the replica gives, as it changes. Make the query once: outside of the component, or by useMemo. */
export const useQuery = (replica, query) =>
  useSyncExternalStore(
    (listener) => replica.subscribe(query, listener),
    () => replica.read(query),
  );
