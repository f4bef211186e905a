import { isSame } from './entities.ts';
import { type Index, indexOf, updateList } from './indexes.ts';
import type { Entity } from './types.ts';

/** What a query reads. */
export interface Source {
  /** The entity with that id. */
  entity(id: string): Entity | undefined;
  /** The list of an index under a key; the same array until something in it changes. */
  list(key: string): readonly Entity[];
  /** A value that the replica says of itself; the same one until it changes. */
  value(key: string): unknown;
}

/**
 * A question to a replica. It is a value: make it once, and ask with it as often as you like; one that derives its result (`select`,
 * `due`) keeps the last one, which makes its snapshots stable.
 */
export interface Query<Result> {
  /** What its result depends on: ids, keys of lists, and names of values. */
  readonly keys: readonly string[];
  readonly evaluate: (source: Source) => Result;
}

/** A subscription to a query. */
interface Watcher {
  readonly check: () => void;
}

/** A list of an index, and what is to change in it. */
interface Edit {
  readonly index: Index;
  readonly removed: Entity[];
  readonly added: Entity[];
}

const none: readonly Entity[] = Object.freeze([]);

/** What a replica shows: entities, sorted lists of them, kept up from when they are first read, and who watches which. */
export class View implements Source {
  readonly #entities = new Map<string, Entity>();
  readonly #lists = new Map<string, readonly Entity[]>();
  /** The indexes that were read. */
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
      const edits = new Map<string, Edit>();
      for (const entity of this.#entities.values()) collect(edits, 'added', entity, [index]);
      this.#edit(edits);
    }
    return this.#lists.get(key) ?? none;
  }

  value(key: string): unknown {
    return this.#values.get(key);
  }

  /** Shows another value, and tells those who watch it. */
  setValue(key: string, value: unknown): void {
    if (isSame(this.#values.get(key), value)) return;
    this.#values.set(key, value);
    this.#tell([key]);
  }

  /**
   * Shows entities as they are now, and tells those who watch what has changed. What says the same as before stays the same object.
   * @param ids of all that may have changed
   */
  update(ids: Iterable<string>, current: (id: string) => Entity | undefined): void {
    const edits = new Map<string, Edit>();
    const changed = new Set<string>();
    for (const id of ids) {
      const [before, after] = [this.#entities.get(id), current(id)];
      if (isSame(before, after)) continue;
      changed.add(id);
      if (before) collect(edits, 'removed', before, this.#indexes);
      if (after) collect(edits, 'added', after, this.#indexes);
      if (after) this.#entities.set(id, after);
      else this.#entities.delete(id);
    }
    this.#edit(edits);
    this.#tell([...changed, ...edits.keys()]);
  }

  #edit(edits: ReadonlyMap<string, Edit>): void {
    for (const [key, { index, removed, added }] of edits) {
      const list = updateList(index, this.#lists.get(key) ?? none, removed, added);
      if (list.length > 0) this.#lists.set(key, list);
      else this.#lists.delete(key);
    }
  }

  /** @returns what ends it */
  watch<Result>(query: Query<Result>, listener: (result: Result) => void): () => void {
    let last = query.evaluate(this);
    const watcher: Watcher = {
      check: () => {
        const result = query.evaluate(this);
        if (Object.is(result, last)) return;
        last = result;
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

  #tell(keys: readonly string[]): void {
    const affected = new Set(keys.flatMap((key) => [...(this.#watchers.get(key) ?? [])]));
    for (const watcher of affected) {
      try {
        watcher.check();
      } catch (error) {
        // A listener's own fault ends neither the others nor the replica.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

function collect(edits: Map<string, Edit>, side: 'removed' | 'added', entity: Entity, indexes: Iterable<Index>): void {
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
