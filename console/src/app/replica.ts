import { useEffect, useLayoutEffect, useMemo, useReducer } from 'preact/hooks';
import {
  type MutationHandle,
  type MutationName,
  type Mutations,
  pending,
  problem,
  type Query,
  type Replica,
  status,
  type Task,
  tasks,
} from 'taskgate-client';
import { zone } from './days.ts';
import { currentReplica } from './session.ts';
import { notifyChange } from './notice.ts';
import { newPageOf } from './page-links.ts';
import { texts } from '../texts.ts';

/** @param createQuery creates the query, again if a dependency or the time zone changes */
export function useQuery<Result>(createQuery: () => Query<Result>, dependencies: readonly unknown[] = []): Result {
  const replica = currentReplica();
  const query = useMemo(createQuery, [zone.value, ...dependencies]);
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  const result = replica.read(query);
  useLayoutEffect(() => {
    const listener = () => rerender(undefined);
    // The result may have changed since it was rendered.
    if (!Object.is(replica.read(query), result)) listener();
    return replica.subscribe(query, listener);
  }, [replica, query]);
  return result;
}

/** Loads data outside the replica, again whenever the connection returns. */
export function useLoading(load: () => Promise<void>): void {
  const currentStatus = useQuery(() => status);
  useEffect(() => {
    if (currentStatus !== 'catching up') void load();
  }, [currentStatus]);
}

/** Returns the ids in the variables of a mutation. */
export function idsOf(variables: object): readonly string[] {
  const { id, ids, input } = variables as { id?: string; ids?: readonly string[]; input?: { id?: string } };
  const singleId = id ?? input?.id;
  return ids ?? (singleId === undefined ? [] : [singleId]);
}

/** If the mutation moves several tasks, returns the first one. */
function taskOf(name: MutationName, variables: Mutations[MutationName], newId?: string): Task | undefined {
  if (!/^(create|update|move)Tasks?$/.test(name)) return undefined;
  const { ids, input } = variables as { ids?: string[]; input?: { projectId?: string } };
  if (ids && input?.projectId === undefined) return undefined;
  const [id = newId] = idsOf(variables);
  return id === undefined ? undefined : currentReplica().read(tasks.byId(id));
}

/**
 * Runs a mutation and offers to undo it. If a task leaves the page, the notice links to its new page.
 * @param steps number of mutations in the whole change so far, including this one
 * @param note the user's input, if it contains more than the variables
 */
export function change<Name extends MutationName>(
  name: Name,
  variables: Mutations[Name],
  text?: string,
  steps?: number,
  note?: string,
): MutationHandle {
  const before = taskOf(name, variables);
  const handle = currentReplica().mutate(name, variables, note);
  const after = taskOf(name, variables, handle.id);
  const page = after && newPageOf(before, after);
  notifyChange(handle, name, text ?? (page && before && texts.moved(before.title)), steps, page);
  return handle;
}

function waitUntil(queries: readonly Query<unknown>[], condition: (replica: Replica) => boolean): Promise<void> {
  const replica = currentReplica();
  return new Promise((resolve) => {
    const unsubscribes: (() => void)[] = [];
    const check = () => {
      if (!condition(replica)) return;
      for (const unsubscribe of unsubscribes) unsubscribe();
      resolve();
    };
    unsubscribes.push(...queries.map((query) => replica.subscribe(query, check)));
    check();
  });
}

/** Waits until the replica is up to date or offline. */
export const waitUntilCurrent = (): Promise<void> =>
  waitUntil([status, problem], (replica) => {
    const currentStatus = replica.read(status);
    return currentStatus === 'live' || (currentStatus === 'offline' && replica.read(problem) !== undefined);
  });

/** Waits until direct requests can use the id of a new entity. Returns at once if offline. */
export const waitUntilSent = (entityId: string): Promise<void> =>
  waitUntil(
    [pending, status],
    (replica) =>
      replica.read(status) === 'offline' ||
      !replica.read(pending).some(({ variables }) => 'id' in variables && variables.id === entityId),
  );
