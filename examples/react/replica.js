import { useEffect, useState, useSyncExternalStore } from 'react';
import { createClient, createReplica, indexedDbStorage } from 'taskgate-client';

export const client = createClient({ url: location.origin });

/**
 * Opens a copy of the account that outlives the page. Tabs of an account share it; sessions of other accounts cannot use it. @param account its id
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

/** The current result of a query. Create the query once: outside of the component, or with useMemo. */
export const useQuery = (replica, query) =>
  useSyncExternalStore(
    (listener) => replica.subscribe(query, listener),
    () => replica.read(query),
  );
