import { isSame, referencesOf } from './entities.ts';
import type { Entity, Task } from './types.ts';

/** Entities by id. */
export interface Table {
  get(id: string): Entity | undefined;
  set(entity: Entity): void;
  delete(id: string): void;
  ids(): Iterable<string>;
  /** Entities that refer to an id, such as the tasks of a project. */
  referrers(id: string): Iterable<Entity>;
}

export class BaseTable implements Table {
  readonly #rows = new Map<string, Entity>();
  readonly #referrerIds = new Map<string, Set<string>>();

  get(id: string): Entity | undefined {
    return this.#rows.get(id);
  }

  set(entity: Entity): void {
    const { id } = entity;
    this.delete(id);
    this.#rows.set(id, entity);
    for (const reference of referencesOf(entity)) {
      const ids = this.#referrerIds.get(reference);
      if (ids) ids.add(id);
      else this.#referrerIds.set(reference, new Set([id]));
    }
  }

  delete(id: string): void {
    const entity = this.#rows.get(id);
    if (!entity) return;
    this.#rows.delete(id);
    for (const reference of referencesOf(entity)) {
      const ids = this.#referrerIds.get(reference);
      ids?.delete(id);
      if (ids?.size === 0) this.#referrerIds.delete(reference);
    }
  }

  ids(): Iterable<string> {
    return this.#rows.keys();
  }

  *referrers(id: string): Iterable<Entity> {
    for (const each of this.#referrerIds.get(id) ?? []) {
      const entity = this.#rows.get(each);
      if (entity) yield entity;
    }
  }
}

/** Changes on top of an unchanged table. */
export class Overlay implements Table {
  readonly #base: Table;
  readonly #changes = new Map<string, Entity | undefined>();

  constructor(base: Table) {
    this.#base = base;
  }

  /** Changed entities by id. Undefined if deleted. */
  get changes(): ReadonlyMap<string, Entity | undefined> {
    return this.#changes;
  }

  get(id: string): Entity | undefined {
    return this.#changes.has(id) ? this.#changes.get(id) : this.#base.get(id);
  }

  set(entity: Entity): void {
    this.#changes.set(entity.id, entity);
  }

  delete(id: string): void {
    if (this.#base.get(id)) this.#changes.set(id, undefined);
    else this.#changes.delete(id);
  }

  *ids(): Iterable<string> {
    for (const id of this.#base.ids()) if (!this.#changes.has(id)) yield id;
    for (const [id, entity] of this.#changes) if (entity) yield id;
  }

  *referrers(id: string): Iterable<Entity> {
    for (const entity of this.#base.referrers(id)) if (!this.#changes.has(entity.id)) yield entity;
    for (const entity of this.#changes.values()) if (entity && referencesOf(entity).includes(id)) yield entity;
  }
}

export function taskOf(table: Table, id: string | null | undefined): Task | undefined {
  const entity = id == null ? undefined : table.get(id);
  return entity?.__typename === 'Task' ? entity : undefined;
}

export const subtasksOf = (table: Table, id: string) =>
  [...table.referrers(id)].filter(({ __typename }) => __typename === 'Task') as Task[];

/** Sets fields of a task. Equal values do not count as a change. */
export function changeTask(table: Table, task: Task, fields: Partial<Task>, updatedAt: string): void {
  const next = { ...task, ...fields };
  if (!isSame(next, task)) table.set({ ...next, updatedAt });
}

/** Removes an entity and its contents. The tasks of a section or tag stay, without it. Missing ids are ignored. */
export function remove(table: Table, id: string): void {
  const removed = table.get(id);
  if (!removed) return;
  table.delete(id);
  for (const entity of [...table.referrers(id)]) {
    if (entity.__typename === 'Task' && removed.__typename === 'Section') table.set({ ...entity, sectionId: null });
    else if (entity.__typename === 'Task' && removed.__typename === 'Tag') {
      table.set({ ...entity, tagIds: entity.tagIds.filter((each) => each !== id) });
    } else remove(table, entity.id);
  }
}
