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
import { theReplica } from './session.ts';
import { notifyDone } from './notice.ts';
import { pageAfter } from './places.ts';
import { texts } from '../texts.ts';

/** @param make creates the query, again if a dependency or the time zone changes */
export function useQuery<Result>(make: () => Query<Result>, dependencies: readonly unknown[] = []): Result {
  const replica = theReplica();
  const query = useMemo(make, [zone.value, ...dependencies]);
  const [, again] = useReducer((count: number) => count + 1, 0);
  const result = replica.read(query);
  useLayoutEffect(() => {
    const listener = () => again(undefined);
    // The result may have changed since it was rendered.
    if (!Object.is(replica.read(query), result)) listener();
    return replica.subscribe(query, listener);
  }, [replica, query]);
  return result;
}

/** Loads data outside the replica, again whenever the connection returns. */
export function useLoading(load: () => Promise<void>): void {
  const now = useQuery(() => status);
  useEffect(() => {
    if (now !== 'catching up') void load();
  }, [now]);
}

/** Returns the ids in the variables of a mutation. */
export function idsOf(variables: object): readonly string[] {
  const { id, ids, input } = variables as { id?: string; ids?: readonly string[]; input?: { id?: string } };
  const named = id ?? input?.id;
  return ids ?? (named === undefined ? [] : [named]);
}

/** If the mutation moves several tasks, returns the first one. */
function taskOf(name: MutationName, variables: Mutations[MutationName], newId?: string): Task | undefined {
  if (!/^(create|update|move)Tasks?$/.test(name)) return undefined;
  const { ids, input } = variables as { ids?: string[]; input?: { projectId?: string } };
  if (ids && input?.projectId === undefined) return undefined;
  const [id = newId] = idsOf(variables);
  return id === undefined ? undefined : theReplica().read(tasks.byId(id));
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
  const handle = theReplica().mutate(name, variables, note);
  const after = taskOf(name, variables, handle.id);
  const page = after && pageAfter(before, after);
  notifyDone(name, text ?? (page && before && texts.moved(before.title)), steps, page);
  return handle;
}

function when(queries: readonly Query<unknown>[], isSo: (replica: Replica) => boolean): Promise<void> {
  const replica = theReplica();
  return new Promise((resolve) => {
    const stops: (() => void)[] = [];
    const check = () => {
      if (!isSo(replica)) return;
      for (const stop of stops) stop();
      resolve();
    };
    stops.push(...queries.map((query) => replica.subscribe(query, check)));
    check();
  });
}

/** Waits until the replica is up to date or offline. */
export const whenCurrent = (): Promise<void> =>
  when([status, problem], (replica) => {
    const now = replica.read(status);
    return now === 'live' || (now === 'offline' && replica.read(problem) !== undefined);
  });

/** Waits until direct requests can use the id of a new entity. Returns at once if offline. */
export const whenSent = (madeId: string): Promise<void> =>
  when(
    [pending, status],
    (replica) =>
      replica.read(status) === 'offline' ||
      !replica.read(pending).some(({ variables }) => 'id' in variables && variables.id === madeId),
  );
