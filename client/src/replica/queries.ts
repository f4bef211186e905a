import type { TaskgateError } from '../errors.ts';
import type { ReferenceOf } from './entities.ts';
import { listKey } from './indexes.ts';
import type { OutboxEntry } from './outbox.ts';
import type { Entity, Task, User } from './types.ts';
import type { Query } from './view.ts';

type Type = Entity['__typename'];
type Of<T extends Type> = Extract<Entity, { __typename: T }>;

const listQuery = <T extends Type>(...[type, index, id]: Parameters<typeof listKey<T>>): Query<readonly Of<T>[]> => {
  const key = listKey(type, index, id);
  return { keys: [key], evaluate: (source) => source.list(key) as readonly Of<T>[] };
};

const byId =
  <T extends Type>(type: T) =>
  (id: string): Query<Of<T> | undefined> => ({
    keys: [id],
    evaluate: (source) => {
      const entity = source.entity(id);
      return entity?.__typename === type ? (entity as Of<T>) : undefined;
    },
  });

const byReference =
  <T extends Type>(type: T, field: ReferenceOf<T>) =>
  (id: string) =>
    listQuery(type, field, id);

/**
 * Derives a value from a query, such as a part of a list or a count. `derive` runs only if the query's result changes. A list with the same
 * items stays the same array.
 */
export function select<From, To>(query: Query<From>, derive: (result: From) => To): Query<To> {
  let cached: { readonly from: From; readonly to: To } | undefined;
  return {
    keys: query.keys,
    evaluate: (source) => {
      const from = query.evaluate(source);
      if (cached && Object.is(cached.from, from)) return cached.to;
      const result = derive(from);
      const to = cached && hasSameItems(cached.to, result) ? cached.to : result;
      cached = { from, to };
      return to;
    },
  };
}

const hasSameItems = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => Object.is(item, b[index]));

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** Returns the local day of a moment: `YYYY-MM-DD`. */
export const dayOf = (moment: Date): string =>
  `${String(moment.getFullYear()).padStart(4, '0')}-${twoDigits(moment.getMonth() + 1)}-${twoDigits(moment.getDate())}`;

/** Returns the local day of a task's `dueTime`, or its `dueDate` if it has no time. */
export const dueDay = ({ dueDate, dueTime }: Pick<Task, 'dueDate' | 'dueTime'>): string | null =>
  dueTime === null ? dueDate : dayOf(new Date(dueTime));

/** An inclusive range of days. Both ends are optional. */
export interface DayRange {
  /** `YYYY-MM-DD`. */
  readonly from?: string;
  /** `YYYY-MM-DD`. */
  readonly to?: string;
}

/** Tasks and subtasks, by sort key and id except for `due`. */
export const tasks = {
  byId: byId('Task'),
  all: () => listQuery('Task'),
  byProject: byReference('Task', 'projectId'),
  bySection: byReference('Task', 'sectionId'),
  children: byReference('Task', 'parentId'),
  byTag: byReference('Task', 'tagIds'),
  /** In all spaces. */
  assignedTo: (userId: string) => listQuery('Task', 'assigneeIds', userId),
  open: () => listQuery('Task', 'open'),
  /** Open tasks with a due day, by `dueDay`, time and sort key. */
  due: ({ from = '', to = '~' }: DayRange = {}): Query<readonly Task[]> =>
    select(listQuery('Task', 'due'), (due) =>
      due
        .map((task) => [dueDay(task) ?? '', task] as const)
        .filter(([day]) => day >= from && day <= to)
        .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
        .map(([, task]) => task),
    ),
} as const;

/** Projects: the inbox first, then by creation. */
export const projects = { byId: byId('Project'), all: () => listQuery('Project') } as const;

/** Sections, by sort key. */
export const sections = {
  byId: byId('Section'),
  all: () => listQuery('Section'),
  byProject: byReference('Section', 'projectId'),
} as const;

/** Comments on a task, in the order of their ids. */
export const comments = { byId: byId('Comment'), byTask: byReference('Comment', 'taskId') } as const;

/** The caller's tags, by name without case. */
export const tags = { byId: byId('Tag'), all: () => listQuery('Tag') } as const;

/** The caller's workspaces, by creation. */
export const workspaces = { byId: byId('Workspace'), all: () => listQuery('Workspace') } as const;

/** The caller. Undefined before the first load. */
export const user: Query<User | undefined> = select(listQuery('User'), ([first]) => first);

/** `live`: up to date. `catching up`: loads missed changes. `offline`: has no connection, and retries. */
export type Status = 'offline' | 'catching up' | 'live';

const valueQuery = <Result>(key: string, defaultValue: Result): Query<Result> => ({
  keys: [key],
  evaluate: (source) => (source.value(key) as Result | undefined) ?? defaultValue,
});

/** The state of the connection. */
export const status = valueQuery<Status>('status', 'offline');

/** Reason of the last interruption, until live. `UNAUTHENTICATED` means that there is no session. */
export const problem = valueQuery<TaskgateError | undefined>('problem', undefined);

/** Pending mutations that are displayed but not confirmed, in order. */
export const pending = valueQuery<readonly OutboxEntry[]>('pending', []);

/** Refused mutations with their `error`, until dismissed. Mutations of earlier processes are included. */
export const refused = valueQuery<readonly OutboxEntry[]>('refused', []);
