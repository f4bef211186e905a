import { useEffect, useState, useSyncExternalStore } from 'react';
import { createClient, createReplica, indexedDbStorage } from 'taskgate-client';

export const client = createClient({ url: location.origin });

/** A copy of the account, which outlives the page; undefined until it is open. Tabs of an account share it. */
export function useReplica(email) {
  const [replica, setReplica] = useState();
  useEffect(() => {
    const opening = createReplica({ client, storage: indexedDbStorage(email) });
    void opening.then(setReplica);
    return () => void opening.then((opened) => opened.close());
  }, [email]);
  return replica;
}

/** What a query of the replica gives, as it changes. Make the query once: outside of the component, or by useMemo. */
export const useQuery = (replica, query) =>
  useSyncExternalStore(
    (listener) => replica.subscribe(query, listener),
    () => replica.read(query),
  );
