import type { TaskgateError } from '../errors.ts';
import type { Entity, Project, Section, Tag, Task, User, Workspace } from './entities.ts';
import { type Index, indexes, keyOf } from './indexes.ts';
import type { OutboxEntry } from './outbox.ts';
import type { Query } from './view.ts';

const list = <E extends Entity>(index: Index<E>, value = ''): Query<readonly E[]> => {
  const key = keyOf(index, value);
  return { keys: [key], evaluate: (source) => source.list(key) as unknown as readonly E[] };
};

const byId =
  <E extends Entity>(type: E['__typename']) =>
  (id: string): Query<E | undefined> => ({
    keys: [id],
    evaluate: (source) => {
      const entity = source.entity(id);
      return entity?.__typename === type ? (entity as E) : undefined;
    },
  });

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

/** Days, both included; either may be left out. */
export interface DayRange {
  /** `YYYY-MM-DD`. */
  readonly from?: string;
  /** `YYYY-MM-DD`. */
  readonly to?: string;
}

/** Tasks, subtasks included. Lists are by sort key, then id, where nothing else is said. */
export const tasks = {
  byId: byId<Task>('Task'),
  all: () => list(indexes.allTasks),
  byProject: (projectId: string) => list(indexes.tasksByProject, projectId),
  bySection: (sectionId: string) => list(indexes.tasksBySection, sectionId),
  /** The subtasks of a task. */
  children: (taskId: string) => list(indexes.children, taskId),
  byTag: (tagId: string) => list(indexes.tasksByTag, tagId),
  /** Those that are not completed. */
  open: () => list(indexes.openTasks),
  /** Open ones that are due, by day, time and sort key. */
  due: ({ from, to }: DayRange = {}): Query<readonly Task[]> => {
    const query = list(indexes.dueTasks);
    if (from === undefined && to === undefined) return query;
    const isWithin = ({ dueDate }: Task) =>
      dueDate !== null && (from === undefined || dueDate >= from) && (to === undefined || dueDate <= to);
    return select(query, (due) => due.filter(isWithin));
  },
} as const;

/** Projects: the inbox first, then by creation. */
export const projects = { byId: byId<Project>('Project'), all: () => list<Project>(indexes.projects) } as const;

/** Sections of a project, by sort key. */
export const sections = {
  byId: byId<Section>('Section'),
  byProject: (projectId: string) => list<Section>(indexes.sectionsByProject, projectId),
} as const;

/** The caller's tags, by name without regard to case. */
export const tags = { byId: byId<Tag>('Tag'), all: () => list<Tag>(indexes.tags) } as const;

/** The workspaces that the caller is a member of, by creation. */
export const workspaces = {
  byId: byId<Workspace>('Workspace'),
  all: () => list<Workspace>(indexes.workspaces),
} as const;

/** The caller; undefined until the first load is done. */
export const user: Query<User | undefined> = select(list<User>(indexes.users), ([first]) => first);

/**
 * `live`: changes come as they are made. `catching up`: the service answers, and what was missed is being loaded. `offline`: it does
 * not, and is tried again.
 */
export type Status = 'offline' | 'catching up' | 'live';

const value = <Result>(key: string, absent: Result): Query<Result> => ({
  keys: [key],
  evaluate: (source) => (source.value(key) as Result | undefined) ?? absent,
});

/** How the replica stands to the service. */
export const status = value<Status>('status', 'offline');

/** Why it was interrupted last, until it is live: `UNAUTHENTICATED`: there is no session, sign in. */
export const problem = value<TaskgateError | undefined>('problem', undefined);

/** The mutations that were made here and are shown, but not confirmed, in their order. */
export const pending = value<readonly OutboxEntry[]>('pending', []);

/** The mutations that were refused, with the `error`, until they are dismissed: also those of an earlier process. */
export const refused = value<readonly OutboxEntry[]>('refused', []);
