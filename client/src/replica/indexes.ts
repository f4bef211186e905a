import type { Entity, Project, Section, Tag, Task, User, Workspace } from './entities.ts';

/** Entities of a type in sorted lists, each list under a key of its own. */
export interface Index<E extends Entity = Entity> {
  readonly name: string;
  readonly type: E['__typename'];
  /** In which lists an entity stands. */
  readonly valuesOf: (entity: E) => readonly string[];
  /** The order of a list: of all that differ, so that an entity has one place in it. */
  readonly compare: (a: E, b: E) => number;
}

/** The key of one list of an index. */
export const keyOf = (index: Pick<Index, 'name'>, value: string): string => `${index.name}:${value}`;

const compareBy =
  <E extends Entity>(...fields: ((entity: E) => string)[]) =>
  (a: E, b: E): number => {
    for (const field of [...fields, ({ id }: E) => id]) {
      const [left, right] = [field(a), field(b)];
      // Code units, as the service compares bytes: what it makes keys of is ASCII.
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  };

const all = '';
const bySortKey = compareBy<Task | Section>(({ sortKey }) => sortKey);
const given = (value: string | null) => (value === null ? [] : [value]);

const ofTasks = (
  name: string,
  valuesOf: (task: Task) => readonly string[],
  compare: (a: Task, b: Task) => number = bySortKey,
): Index<Task> => ({ name: `tasks.${name}`, type: 'Task', valuesOf, compare });

/** All indexes: a query reads one of these lists, and is evaluated again where that has changed. */
export const indexes = {
  allTasks: ofTasks('all', () => [all]),
  tasksByProject: ofTasks('byProject', ({ projectId }) => [projectId]),
  tasksBySection: ofTasks('bySection', ({ sectionId }) => given(sectionId)),
  children: ofTasks('children', ({ parentId }) => given(parentId)),
  tasksByTag: ofTasks('byTag', ({ tagIds }) => tagIds),
  openTasks: ofTasks('open', ({ completed }) => (completed ? [] : [all])),
  dueTasks: ofTasks(
    'due',
    ({ completed, dueDate }) => (completed || dueDate === null ? [] : [all]),
    compareBy(
      ({ dueDate }) => dueDate ?? '',
      ({ dueTime }) => dueTime ?? '',
      ({ sortKey }) => sortKey,
    ),
  ),
  sectionsByProject: {
    name: 'sections.byProject',
    type: 'Section',
    valuesOf: ({ projectId }) => [projectId],
    compare: bySortKey,
  } satisfies Index<Section>,
  // The inbox first, then by creation, which ids are in the order of.
  projects: {
    name: 'projects.all',
    type: 'Project',
    valuesOf: () => [all],
    compare: compareBy(({ isDefault }) => (isDefault ? '0' : '1')),
  } satisfies Index<Project>,
  tags: {
    name: 'tags.all',
    type: 'Tag',
    valuesOf: () => [all],
    compare: compareBy(
      ({ name }) => name.toLowerCase(),
      ({ name }) => name,
    ),
  } satisfies Index<Tag>,
  workspaces: {
    name: 'workspaces.all',
    type: 'Workspace',
    valuesOf: () => [all],
    compare: compareBy(),
  } satisfies Index<Workspace>,
  users: { name: 'users.all', type: 'User', valuesOf: () => [all], compare: compareBy() } satisfies Index<User>,
} as const;

const indexesByName = new Map((Object.values(indexes) as unknown as Index[]).map((index) => [index.name, index]));

/** The index of the list with that key. */
export const indexOf = (key: string): Index | undefined => indexesByName.get(key.slice(0, key.indexOf(':')));

/** How many changes of a list are made one by one; more of them by sorting it anew. */
const fewChanges = 32;

/**
 * A sorted list after some changes; the list itself stays as it is, as it may be a snapshot that somebody holds.
 * @param removed as it is in the list
 */
export function updateList(
  { compare }: Index,
  list: readonly Entity[],
  removed: readonly Entity[],
  added: readonly Entity[],
): readonly Entity[] {
  if (removed.length + added.length > fewChanges) {
    const gone = new Set(removed);
    return [...list.filter((entity) => !gone.has(entity)), ...added].sort(compare);
  }
  const next = [...list];
  for (const entity of removed) next.splice(placeOf(next, entity, compare), 1);
  for (const entity of added) next.splice(placeOf(next, entity, compare), 0, entity);
  return next;
}

/** How many stand before it. */
function placeOf(list: readonly Entity[], entity: Entity, compare: Index['compare']): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = list[middle];
    if (other && compare(other, entity) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
