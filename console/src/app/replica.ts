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

/**
 * The result of a query of the replica, as it changes.
 * @param make the query, made again when a dependency changes, or the time zone: days of tasks depend on it
 */
export function useQuery<Result>(make: () => Query<Result>, dependencies: readonly unknown[] = []): Result {
  const replica = theReplica();
  const query = useMemo(make, [zone.value, ...dependencies]);
  const [, again] = useReducer((count: number) => count + 1, 0);
  const result = replica.read(query);
  useLayoutEffect(() => {
    const listener = () => again(undefined);
    // It may have changed since it was read.
    if (!Object.is(replica.read(query), result)) listener();
    return replica.subscribe(query, listener);
  }, [replica, query]);
  return result;
}

/** Loads what no replica holds: at once, and when the network is back. */
export function useLoading(load: () => Promise<void>): void {
  const now = useQuery(() => status);
  useEffect(() => {
    if (now !== 'catching up') void load();
  }, [now]);
}

/** The task that a mutation creates, updates or moves; of several that it moves to a project, the first. */
function taskOf(name: MutationName, variables: Mutations[MutationName], newId?: string): Task | undefined {
  const { id = newId, ids, input } = variables as { id?: string; ids?: string[]; input?: { projectId?: string } };
  if (!/^(create|update|move)Tasks?$/.test(name)) return undefined;
  const named = input?.projectId === undefined ? id : (id ?? ids?.[0]);
  return named === undefined ? undefined : theReplica().read(tasks.byId(named));
}

/**
 * Makes a mutation, and offers to undo it for a while. The notice links to the place of a task that leaves the page.
 * @param steps mutations of what is shown, with this one
 * @param note what the user typed, if that is more than the variables
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

/** Waits for a condition. @param queries on whose results it depends */
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

/** Waits until the replica is up to date, or there is no network. */
export const whenCurrent = (): Promise<void> =>
  when([status, problem], (replica) => {
    const now = replica.read(status);
    return now === 'live' || (now === 'offline' && replica.read(problem) !== undefined);
  });

/** Waits, while there is a network, until the service has what was made here: what no replica does can name it then. */
export const whenSent = (madeId: string): Promise<void> =>
  when(
    [pending, status],
    (replica) =>
      replica.read(status) === 'offline' ||
      !replica.read(pending).some(({ variables }) => 'id' in variables && variables.id === madeId),
  );
