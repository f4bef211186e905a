import { isSame } from './entities.ts';
import { type Index, indexOf, updateList } from './indexes.ts';
import type { Entity } from './types.ts';

export interface Source {
  entity(id: string): Entity | undefined;
  /** The same array until it changes. */
  list(key: string): readonly Entity[];
  value(key: string): unknown;
}

/**
 * A query of a replica. Create it once and reuse it: derived queries (`select`, `due`) cache their last result, which keeps snapshots
 * stable.
 */
export interface Query<Result> {
  /** Dependencies: ids, list keys, and names of values. */
  readonly keys: readonly string[];
  readonly evaluate: (source: Source) => Result;
}

interface Watcher {
  readonly check: () => void;
}

interface ListEdit {
  readonly index: Index;
  readonly removed: Entity[];
  readonly added: Entity[];
}

const emptyList: readonly Entity[] = Object.freeze([]);

/** Displayed entities with their sorted lists, which are created on first read, and the subscriptions to queries. */
export class View implements Source {
  readonly #entities = new Map<string, Entity>();
  readonly #lists = new Map<string, readonly Entity[]>();
  readonly #indexes = new Set<Index>();
  readonly #values = new Map<string, unknown>();
  readonly #watchers = new Map<string, Set<Watcher>>();

  entity(id: string): Entity | undefined {
    return this.#entities.get(id);
  }

  list(key: string): readonly Entity[] {
    const index = indexOf(key);
    if (index && !this.#indexes.has(index)) {
      this.#indexes.add(index);
      const edits = new Map<string, ListEdit>();
      for (const entity of this.#entities.values()) collectEdits(edits, 'added', entity, [index]);
      this.#edit(edits);
    }
    return this.#lists.get(key) ?? emptyList;
  }

  value(key: string): unknown {
    return this.#values.get(key);
  }

  setValue(key: string, value: unknown): void {
    if (isSame(this.#values.get(key), value)) return;
    this.#values.set(key, value);
    this.#notify([key]);
  }

  /** Updates entities and lists, and notifies listeners. Equal entities keep their objects. @param ids may include unchanged ones */
  update(ids: Iterable<string>, current: (id: string) => Entity | undefined): void {
    const edits = new Map<string, ListEdit>();
    const changed = new Set<string>();
    for (const id of ids) {
      const [before, after] = [this.#entities.get(id), current(id)];
      if (isSame(before, after)) continue;
      changed.add(id);
      if (before) collectEdits(edits, 'removed', before, this.#indexes);
      if (after) collectEdits(edits, 'added', after, this.#indexes);
      if (after) this.#entities.set(id, after);
      else this.#entities.delete(id);
    }
    this.#edit(edits);
    this.#notify([...changed, ...edits.keys()]);
  }

  #edit(edits: ReadonlyMap<string, ListEdit>): void {
    for (const [key, { index, removed, added }] of edits) {
      const list = updateList(index, this.#lists.get(key) ?? emptyList, removed, added);
      if (list.length > 0) this.#lists.set(key, list);
      else this.#lists.delete(key);
    }
  }

  /** Calls a listener when the result of a query changes. @returns function that stops */
  watch<Result>(query: Query<Result>, listener: (result: Result) => void): () => void {
    let lastResult = query.evaluate(this);
    const watcher: Watcher = {
      check: () => {
        const result = query.evaluate(this);
        if (Object.is(result, lastResult)) return;
        lastResult = result;
        listener(result);
      },
    };
    for (const key of query.keys) {
      const watchers = this.#watchers.get(key) ?? new Set();
      this.#watchers.set(key, watchers.add(watcher));
    }
    return () => {
      for (const key of query.keys) {
        const watchers = this.#watchers.get(key);
        watchers?.delete(watcher);
        if (watchers?.size === 0) this.#watchers.delete(key);
      }
    };
  }

  #notify(keys: readonly string[]): void {
    const affectedWatchers = new Set(keys.flatMap((key) => [...(this.#watchers.get(key) ?? [])]));
    for (const watcher of affectedWatchers) {
      try {
        watcher.check();
      } catch (error) {
        // A failing listener must not stop the others or the replica.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

function collectEdits(
  edits: Map<string, ListEdit>,
  side: 'removed' | 'added',
  entity: Entity,
  indexes: Iterable<Index>,
): void {
  for (const index of indexes) {
    if (index.type !== entity.__typename) continue;
    for (const value of index.valuesOf(entity)) {
      const key = `${index.name}:${value}`;
      let edit = edits.get(key);
      if (!edit) edits.set(key, (edit = { index, removed: [], added: [] }));
      edit[side].push(entity);
    }
  }
}
