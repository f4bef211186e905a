import { idsIn, type ReferenceOf } from './entities.ts';
import { references } from './schema.ts';
import type { Entity, Project, Tag, Task } from './types.ts';

type Type = Entity['__typename'];

export interface Index {
  readonly name: string;
  readonly type: Type;
  readonly valuesOf: (entity: Entity) => readonly string[];
  /** A total order. */
  readonly compare: (a: Entity, b: Entity) => number;
}

/** Compares by fields, then by id, the order of creation. */
const compareBy =
  <E extends Entity>(...fields: ((entity: E) => string)[]) =>
  (a: E, b: E): number => {
    for (const field of [...fields, ({ id }: E) => id]) {
      const [left, right] = [field(a), field(b)];
      // Sort keys are ASCII, so code units give the same order as the bytes that the service compares.
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  };

const comparators: { readonly [Of in Type]?: (a: never, b: never) => number } = {
  // The inbox comes first.
  Project: compareBy<Project>(({ isDefault }) => (isDefault ? '0' : '1')),
  Tag: compareBy<Tag>(
    ({ name }) => name.toLowerCase(),
    ({ name }) => name,
  ),
};
export const bySortKey = compareBy((entity) => ('sortKey' in entity ? entity.sortKey : ''));

const taskIndex = (
  name: string,
  includes: (task: Task) => boolean,
  compare: (a: Task, b: Task) => number = bySortKey,
): Index => ({
  name: `Task.${name}`,
  type: 'Task',
  valuesOf: (task) => (includes(task as Task) ? [''] : []),
  compare: compare as Index['compare'],
});

function standardIndexes(type: Type): Index[] {
  const compare = (comparators[type] ?? bySortKey) as Index['compare'];
  const fieldIndex = (field: ReferenceOf<Type>): Index => ({
    name: `${type}.${field}`,
    type,
    valuesOf: (entity) => idsIn(entity, field),
    compare,
  });
  return [{ name: `${type}.all`, type, valuesOf: () => [''], compare }, ...references[type].map(fieldIndex)];
}

/** Indexes of the lists that queries read. */
export const indexes: readonly Index[] = [
  ...Object.keys(references).flatMap((type) => standardIndexes(type as Type)),
  taskIndex('open', ({ completed }) => !completed),
  { name: 'Task.assigneeIds', type: 'Task', valuesOf: (task) => (task as Task).assigneeIds, compare: bySortKey },
  taskIndex(
    'due',
    ({ completed, dueDate, dueTime }) => !completed && (dueDate !== null || dueTime !== null),
    // Local days depend on the time zone, which may change.
    compareBy<Task>(
      ({ dueTime }) => dueTime ?? '',
      ({ sortKey }) => sortKey,
    ),
  ),
];
const indexesByName = new Map(indexes.map((index) => [index.name, index]));

export const listKey = <Of extends Type>(
  type: Of,
  index: 'all' | ReferenceOf<Of> | (Of extends 'Task' ? 'open' | 'due' | 'assigneeIds' : never) = 'all',
  id = '',
): string => `${type}.${index}:${id}`;

export const indexOf = (key: string): Index | undefined => indexesByName.get(key.slice(0, key.indexOf(':')));

/** Maximum number of entries that are inserted and removed one by one. With more, the list is sorted again. */
const maxSplices = 32;

/** Returns a changed copy, because a caller may hold the list. @param removed the same objects as in the list */
export function updateList(
  { compare }: Index,
  list: readonly Entity[],
  removed: readonly Entity[],
  added: readonly Entity[],
): readonly Entity[] {
  if (removed.length + added.length > maxSplices) {
    const removedEntities = new Set(removed);
    return [...list.filter((entity) => !removedEntities.has(entity)), ...added].sort(compare);
  }
  const next = [...list];
  for (const entity of removed) next.splice(positionOf(next, entity, compare), 1);
  for (const entity of added) next.splice(positionOf(next, entity, compare), 0, entity);
  return next;
}

function positionOf(list: readonly Entity[], entity: Entity, compare: Index['compare']): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = list[middle];
    if (other && compare(other, entity) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
