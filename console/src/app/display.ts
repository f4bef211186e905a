import { createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { dueDay, type Task } from 'taskgate-client';
import { texts } from '../texts.ts';
import { addDays, today } from './days.ts';
import { byDue } from './due.ts';
import { taskIdIn } from './paths.ts';
import { go, pageOf, route } from './router.ts';

export type Sort = keyof typeof texts.sorts;
export type Group = keyof typeof texts.groups;
export type Filter = 'tag' | 'priority' | 'due';

/** How a page shows its tasks. The address keeps it. */
export interface Display {
  /** The path of the page. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly sort: Sort;
  readonly group: Group;
  readonly ownGroup: Group;
  readonly showsCompleted: boolean;
  /** Of the same filter, a task matches any. */
  readonly filters: Readonly<Record<Filter, readonly string[]>>;
}

/** By the first path segment. */
const ownGroups: Readonly<Record<string, Group>> = { today: 'due', upcoming: 'due', projects: 'section' };

/** Ignores unknown values. */
export function readDisplay({ pathname: path, searchParams: parameters }: URL): Display {
  const ownGroup = ownGroups[path.split('/')[1] ?? ''] ?? 'none';
  const read = <Value extends string>(name: string, known: Readonly<Record<Value, string>>, standard: Value): Value => {
    const value = parameters.get(name) ?? '';
    return Object.hasOwn(known, value) ? (value as Value) : standard;
  };
  return {
    ...{ path, parameters, ownGroup },
    sort: read('sort', texts.sorts, 'manual'),
    group: read('group', texts.groups, ownGroup),
    showsCompleted: parameters.get('completed') === 'show',
    filters: {
      tag: parameters.getAll('tag'),
      priority: parameters.getAll('priority').filter((value) => Object.hasOwn(texts.priorityFilters, value)),
      due: parameters.getAll('due').filter((value) => Object.hasOwn(texts.dueFilters, value)),
    },
  };
}

export const PageDisplay = createContext(readDisplay(new URL('/', location.origin)));

function openDisplay(path: string, parameters: URLSearchParams): void {
  const address = parameters.size > 0 ? `${path}?${parameters.toString()}` : path;
  const current = route.value.path;
  if (taskIdIn(current) === undefined) go(address);
  else go(current, { from: address });
}

/** @param values none for the standard */
export function setDisplay(
  { path, parameters }: Pick<Display, 'path' | 'parameters'>,
  changes: Readonly<Record<string, readonly string[]>>,
): void {
  const next = new URLSearchParams(parameters);
  for (const [name, values] of Object.entries(changes)) {
    next.delete(name);
    for (const value of values) next.append(name, value);
  }
  openDisplay(path, next);
}

export function sortManually(): void {
  const { pathname: path, searchParams: parameters } = pageOf(route.value);
  setDisplay({ path, parameters }, { sort: [] });
}

export const isFiltered = ({ filters }: Display): boolean => Object.values(filters).some((values) => values.length > 0);

const isDueIn: Readonly<Record<string, (day: string | null, task: Task) => boolean>> = {
  overdue: (day, { completed }) => day !== null && day < today.value && !completed,
  today: (day) => day === today.value,
  week: (day) => day !== null && day >= today.value && day < addDays(today.value, 7),
  none: (day) => day === null,
};

const matches =
  ({ filters: { tag, priority, due } }: Display) =>
  (task: Task): boolean =>
    (tag.length === 0 || task.tagIds.some((id) => tag.includes(id))) &&
    (priority.length === 0 || priority.includes(task.priority?.toLowerCase() ?? 'none')) &&
    (due.length === 0 || due.some((name) => isDueIn[name]?.(dueDay(task), task)));

const ranks = { HIGH: 0, MEDIUM: 1, LOW: 2 };
const rankOf = ({ priority }: Task) => (priority === null ? 3 : ranks[priority]);
const collator = new Intl.Collator(undefined, { numeric: true });

const orders: Readonly<Record<Exclude<Sort, 'manual'>, (a: Task, b: Task) => number>> = {
  due: byDue,
  priority: (a, b) => rankOf(a) - rankOf(b),
  title: (a, b) => collator.compare(a.title, b.title),
  created: (a, b) => (a.createdAt < b.createdAt ? 1 : -1),
};

export const sorted = (list: readonly Task[], sort: Sort): readonly Task[] =>
  sort === 'manual' ? list : list.toSorted(orders[sort]);

/** Returns the tasks that match the filters of the page. */
export function useFiltered(list: readonly Task[]): readonly Task[] {
  const display = useContext(PageDisplay);
  return useMemo(
    () => (isFiltered(display) ? list.filter(matches(display)) : list),
    [list, display, isFiltered(display) && today.value],
  );
}
