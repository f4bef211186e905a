import { type ErrorDetails, TaskgateError } from '../errors.ts';
import { observeId } from './ids.ts';
import type { Hints } from './hints.ts';
import type { MutationName } from './mutations.ts';
import type { Mutations } from './mutation-types.ts';

/** A local mutation before its confirmation by a batch. */
export interface OutboxEntry<Name extends MutationName = MutationName> {
  /** Idempotency key. Entries are sent in the order of their keys. */
  readonly key: string;
  readonly name: Name;
  /** Undefined if the replica had no account yet. */
  readonly account?: string | undefined;
  /** Text of the GraphQL document. Later versions of the package send the same text, because the key belongs to it. */
  readonly document: string;
  readonly variables: Mutations[Name];
  readonly hints: Hints;
  /** ISO 8601. */
  readonly at: string;
  /**
   * `queued`: waiting, or sent without a response. `answered`: executed, but in no batch yet. `refused`: hidden, and kept until dismissed.
   */
  readonly state: 'queued' | 'answered' | 'refused';
  /** Whether a full load may contain the effect without naming the mutation. Its response then confirms it. */
  readonly mayBeHeld?: true;
  /** Caller's note, which is not sent. */
  readonly note?: string | undefined;
  readonly error?: ErrorDetails;
}

/** Error of a mutation that was made by another account. */
export const foreignMutationError = (): TaskgateError =>
  new TaskgateError({ code: 'FORBIDDEN', message: 'The mutation was made by another account' });

/** Maximum length of a request in UTF-16 code units. The service accepts 1 MiB, and a unit may take three bytes. */
const maxLength = 300_000;

const prefix = 'mutation/';

export const recordKeyOf = (key: string): string => prefix + key;

export const isOutboxRecord = (recordKey: string): boolean => recordKey.startsWith(prefix);

/** Id of the created or changed entity. */
export const idOf = (variables: Mutations[MutationName]): string | undefined => {
  const { id, input } = variables as { readonly id?: string; readonly input?: { readonly id?: string } };
  return id ?? input?.id;
};

const isNewTag = (entry: OutboxEntry): entry is OutboxEntry<'createTag'> => entry.name === 'createTag';

export const isUndo = (entry: OutboxEntry): entry is OutboxEntry<'undo'> => entry.name === 'undo';

/** Local mutations in the order of their keys. */
export class Outbox {
  /** By record key. */
  #entries = new Map<string, OutboxEntry>();
  #lastKey = '';
  /** Keys of entries that this or an earlier process may have sent. */
  readonly #attemptedKeys = new Set<string>();

  get(key: string): OutboxEntry | undefined {
    return this.#entries.get(recordKeyOf(key));
  }

  isLast(recordKey: string): boolean {
    return recordKey > this.#lastKey;
  }

  /** @returns the previous entry */
  set(recordKey: string, entry: OutboxEntry | undefined): OutboxEntry | undefined {
    const previous = this.#entries.get(recordKey);
    if (!entry) {
      this.#entries.delete(recordKey);
      if (previous) this.#attemptedKeys.delete(previous.key);
    } else {
      const isLast = previous !== undefined || this.isLast(recordKey);
      this.#entries.set(recordKey, entry);
      // Keys of later mutations must be greater.
      observeId(entry.key);
      if (recordKey > this.#lastKey) this.#lastKey = recordKey;
      if (!isLast) this.#entries = new Map([...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1)));
    }
    return previous;
  }

  has(recordKey: string): boolean {
    return this.#entries.has(recordKey);
  }

  records(): ReadonlyMap<string, OutboxEntry> {
    return this.#entries;
  }

  get pending(): OutboxEntry[] {
    return [...this.#entries.values()].filter(({ state }) => state !== 'refused');
  }

  /** Pending entries, except those whose undo is pending too. */
  get displayed(): OutboxEntry[] {
    const { pending } = this;
    const undoneKeys = new Set(pending.filter(isUndo).map(({ variables }) => variables.operationId));
    return pending.filter(({ key }) => !undoneKeys.has(key));
  }

  isUnsent(key: string): boolean {
    return this.get(key)?.state === 'queued' && !this.#attemptedKeys.has(key);
  }

  get refused(): OutboxEntry[] {
    return [...this.#entries.values()].filter(({ state }) => state === 'refused');
  }

  markAttempted(key: string): void {
    this.#attemptedKeys.add(key);
  }

  /** Returns the entries of the next request. @param isSaved whether an entry is stored; others block later entries */
  takeQueued(limit: number, isSaved: (key: string) => boolean): OutboxEntry[] {
    const entries: OutboxEntry[] = [];
    let length = 0;
    for (const entry of this.pending) {
      if (entry.state !== 'queued') continue;
      length += JSON.stringify(entry).length;
      if (!isSaved(entry.key) || entries.length === limit || (entries.length > 0 && length > maxLength)) break;
      entries.push(entry);
    }
    for (const { key } of entries) this.markAttempted(key);
    return entries;
  }

  /** Removes the entries that a batch confirms. @returns changed records */
  confirmedRecords(mutations: readonly string[]): [string, undefined][] {
    return mutations.filter((key) => this.get(key)).map((key) => [recordKeyOf(key), undefined]);
  }

  /** Refuses unsent entries of another account. @returns changed records */
  refusedRecords(): [string, OutboxEntry][] {
    const error = foreignMutationError().toJSON();
    return this.pending
      .filter(({ state }) => state === 'queued')
      .map((entry) => [recordKeyOf(entry.key), { ...entry, state: 'refused', error }]);
  }

  /**
   * Confirms the answered entries, and the creations of loaded entities, which a full load contains without naming them. The service may
   * have forgotten their keys. @returns changed records
   */
  fullLoadRecords(isLoaded: (id: string) => boolean): [string, OutboxEntry | undefined][] {
    const isHeld = ({ name, state, variables }: OutboxEntry) =>
      state === 'answered' || (name.startsWith('create') && isLoaded(idOf(variables) ?? ''));
    return this.pending
      .filter(({ key, state }) => state === 'answered' || this.#attemptedKeys.has(key))
      .map((entry) => [recordKeyOf(entry.key), isHeld(entry) ? undefined : { ...entry, mayBeHeld: true }]);
  }

  /**
   * Replaces new tags by existing ones of the same names, which other devices have created: the service would refuse the new tags, and
   * all tasks with them. A deletion keeps the id of the new tag. @param existingIds ids of tags by name. @returns changed records
   */
  mergedTagRecords(existingIds: ReadonlyMap<string, string>): [string, OutboxEntry | undefined][] {
    const records: [string, OutboxEntry | undefined][] = [];
    const idsByNewId = new Map<string, string>();
    for (const entry of this.displayed.filter(({ state, name }) => state === 'queued' && name !== 'deleteTags')) {
      const recordKey = recordKeyOf(entry.key);
      const newId = idOf(entry.variables) ?? '';
      const existingId = isNewTag(entry) && existingIds.get(entry.variables.name.trim());
      if (existingId && existingId !== newId) {
        idsByNewId.set(newId, existingId);
        records.push([recordKey, undefined]);
      } else if (idsByNewId.size > 0) {
        let text = JSON.stringify(entry);
        for (const [from, to] of idsByNewId) text = text.replaceAll(from, to);
        records.push([recordKey, JSON.parse(text) as OutboxEntry]);
      }
    }
    return records;
  }
}
