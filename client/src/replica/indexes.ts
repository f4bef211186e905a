import { idsIn, type ReferenceOf } from './entities.ts';
import { references } from './schema.ts';
import type { Entity, Project, Tag, Task } from './types.ts';

type Type = Entity['__typename'];

/** Entities of a type in sorted lists, each list under its key. */
export interface Index {
  readonly name: string;
  readonly type: Type;
  /** The lists that an entity is in. */
  readonly valuesOf: (entity: Entity) => readonly string[];
  /** The order of a list: of all that differ, so that an entity has one place in it. */
  readonly compare: (a: Entity, b: Entity) => number;
}

/** By fields, then by id, which is by creation. */
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

/** Orders of types that are not by sort key, where they have one. */
const orders: { readonly [Of in Type]?: (a: never, b: never) => number } = {
  // The inbox first.
  Project: compareBy<Project>(({ isDefault }) => (isDefault ? '0' : '1')),
  Tag: compareBy<Tag>(
    ({ name }) => name.toLowerCase(),
    ({ name }) => name,
  ),
};
const bySortKey = compareBy((entity) => ('sortKey' in entity ? entity.sortKey : ''));

const ofTasks = (
  name: string,
  isIn: (task: Task) => boolean,
  compare: (a: Task, b: Task) => number = bySortKey,
): Index => ({
  name: `Task.${name}`,
  type: 'Task',
  valuesOf: (task) => (isIn(task as Task) ? [''] : []),
  compare: compare as Index['compare'],
});

/** The list of all of a type, and those of what refers to something by a field. */
function usualOf(type: Type): Index[] {
  const compare = (orders[type] ?? bySortKey) as Index['compare'];
  const byField = (field: ReferenceOf<Type>): Index => ({
    name: `${type}.${field}`,
    type,
    valuesOf: (entity) => idsIn(entity, field),
    compare,
  });
  return [{ name: `${type}.all`, type, valuesOf: () => [''], compare }, ...references[type].map(byField)];
}

/** All indexes: a query reads one of their lists, and is evaluated again where that has changed. */
export const indexes: readonly Index[] = [
  ...Object.keys(references).flatMap((type) => usualOf(type as Type)),
  ofTasks('open', ({ completed }) => !completed),
  ofTasks(
    'due',
    ({ completed, dueDate, dueTime }) => !completed && (dueDate !== null || dueTime !== null),
    // The days of times follow the zone, which may change: queries sort by them.
    compareBy<Task>(
      ({ dueTime }) => dueTime ?? '',
      ({ sortKey }) => sortKey,
    ),
  ),
];
const indexesByName = new Map(indexes.map((index) => [index.name, index]));

/** The key of one list of an index. @param id of what entities refer to by the field */
export const keyOf = <Of extends Type>(
  type: Of,
  index: 'all' | ReferenceOf<Of> | (Of extends 'Task' ? 'open' | 'due' : never) = 'all',
  id = '',
): string => `${type}.${index}:${id}`;

/** The index of the list with that key. */
export const indexOf = (key: string): Index | undefined => indexesByName.get(key.slice(0, key.indexOf(':')));

/** How many changes of a list are made one by one; for more, the list is sorted again. */
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

/** How many come before it. */
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
