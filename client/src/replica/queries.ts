import type { TaskgateError } from '../errors.ts';
import type { ReferenceOf } from './entities.ts';
import { keyOf } from './indexes.ts';
import type { OutboxEntry } from './outbox.ts';
import type { Entity, Task, User } from './types.ts';
import type { Query } from './view.ts';

type Type = Entity['__typename'];
type Of<T extends Type> = Extract<Entity, { __typename: T }>;

const list = <T extends Type>(...[type, index, id]: Parameters<typeof keyOf<T>>): Query<readonly Of<T>[]> => {
  const key = keyOf(type, index, id);
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

const by =
  <T extends Type>(type: T, field: ReferenceOf<T>) =>
  (id: string) =>
    list(type, field, id);

/**
 * Derives something of a query's result: a part of a list, a count. `derive` runs where that result is another one; what says the same
 * items as before, in a list, stays the same array.
 */
export function select<From, To>(query: Query<From>, derive: (result: From) => To): Query<To> {
  let last: { readonly from: From; readonly to: To } | undefined;
  return {
    keys: query.keys,
    evaluate: (source) => {
      const from = query.evaluate(source);
      if (last && Object.is(last.from, from)) return last.to;
      const derived = derive(from);
      const to = last && hasSameItems(last.to, derived) ? last.to : derived;
      last = { from, to };
      return to;
    },
  };
}

const hasSameItems = (a: unknown, b: unknown): boolean =>
  Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => Object.is(item, b[index]));

const two = (value: number) => String(value).padStart(2, '0');

/** The day of a moment, by the clock of this machine: `YYYY-MM-DD`. */
export const dayOf = (moment: Date): string =>
  `${String(moment.getFullYear()).padStart(4, '0')}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;

/** The day on which a task is due: of its time if it has one, else its `dueDate`. */
export const dueDay = ({ dueDate, dueTime }: Pick<Task, 'dueDate' | 'dueTime'>): string | null =>
  dueTime === null ? dueDate : dayOf(new Date(dueTime));

/** Days, both included; either may be left out. */
export interface DayRange {
  /** `YYYY-MM-DD`. */
  readonly from?: string;
  /** `YYYY-MM-DD`. */
  readonly to?: string;
}

/** Tasks, subtasks included. Lists are by sort key, then id, where nothing else is said. */
export const tasks = {
  byId: byId('Task'),
  all: () => list('Task'),
  byProject: by('Task', 'projectId'),
  bySection: by('Task', 'sectionId'),
  /** The subtasks of a task. */
  children: by('Task', 'parentId'),
  byTag: by('Task', 'tagIds'),
  /** Those that are not completed. */
  open: () => list('Task', 'open'),
  /** Open ones that are due, by `dueDay`, time and sort key. */
  due: ({ from = '', to = '~' }: DayRange = {}): Query<readonly Task[]> =>
    select(list('Task', 'due'), (due) =>
      due
        .map((task) => [dueDay(task) ?? '', task] as const)
        .filter(([day]) => day >= from && day <= to)
        .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
        .map(([, task]) => task),
    ),
} as const;

/** Projects: the inbox first, then by creation. */
export const projects = { byId: byId('Project'), all: () => list('Project') } as const;

/** Sections, by sort key. */
export const sections = {
  byId: byId('Section'),
  all: () => list('Section'),
  byProject: by('Section', 'projectId'),
} as const;

/** The caller's tags, by name without regard to case. */
export const tags = { byId: byId('Tag'), all: () => list('Tag') } as const;

/** The workspaces that the caller is a member of, by creation. */
export const workspaces = { byId: byId('Workspace'), all: () => list('Workspace') } as const;

/** The caller; undefined until the first load is done. */
export const user: Query<User | undefined> = select(list('User'), ([first]) => first);

/**
 * `live`: changes come as they are made. `catching up`: the service answers, and what was missed is being loaded. `offline`: it does
 * not, and is tried again.
 */
export type Status = 'offline' | 'catching up' | 'live';

const value = <Result>(key: string, absent: Result): Query<Result> => ({
  keys: [key],
  evaluate: (source) => (source.value(key) as Result | undefined) ?? absent,
});

/** The state of the replica's connection. */
export const status = value<Status>('status', 'offline');

/** Why it was interrupted last, until it is live: `UNAUTHENTICATED`: there is no session, sign in. */
export const problem = value<TaskgateError | undefined>('problem', undefined);

/** The mutations that were made here and are shown, but not confirmed, in their order. */
export const pending = value<readonly OutboxEntry[]>('pending', []);

/** The mutations that were refused, with the `error`, until they are dismissed: also those of an earlier process. */
export const refused = value<readonly OutboxEntry[]>('refused', []);
