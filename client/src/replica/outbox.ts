import { type ErrorDetails, TaskgateError } from '../errors.ts';
import { noteId } from './ids.ts';
import type { Hints, MutationName } from './mutations.ts';
import type { Mutations } from './types.ts';

/** A mutation that was made here, until a batch brings its effect. */
export interface OutboxEntry<Name extends MutationName = MutationName> {
  /** Its idempotency key; entries are in the order of their keys. */
  readonly key: string;
  readonly name: Name;
  /** Id of the account that made it; undefined: the replica did not know its account yet. */
  readonly account?: string | undefined;
  /** As it is sent: a later version of the package sends the same, or the key would be of another request. */
  readonly document: string;
  /** Of the GraphQL mutation with that name. */
  readonly variables: Mutations[Name];
  /** What was chosen here to show it by, until the service has. */
  readonly hints: Hints;
  /** When it was made: ISO 8601. */
  readonly at: string;
  /**
   * `queued`: to be sent, or sent without an answer. `answered`: it has happened, and a batch is to bring it. `refused`: it is not
   * shown any more, and stays until it is dismissed.
   */
  readonly state: 'queued' | 'answered' | 'refused';
  /** It may be in a full load since: a batch may not name it, so its answer confirms it. */
  readonly mayBeHeld?: true;
  /** Of the one who made it: such as what the user typed. It is not sent. */
  readonly note?: string | undefined;
  /** Why it was refused. */
  readonly error?: ErrorDetails;
}

/** Why a mutation is not sent for the account that the replica is of now. */
export const madeByAnother = (): TaskgateError =>
  new TaskgateError({ code: 'FORBIDDEN', message: 'It was made by another account' });

/** UTF-16 code units of what is sent in one request: the service takes 1 MiB, and each may be three bytes. */
const maxLength = 300_000;

const prefix = 'mutation/';

/** The key of the record of an entry. */
export const recordKeyOf = (key: string): string => prefix + key;

/** Whether a record is an entry. */
export const isOutboxRecord = (recordKey: string): boolean => recordKey.startsWith(prefix);

/** Whether an entry undoes something. */
export const isUndo = (entry: OutboxEntry): entry is OutboxEntry<'undo'> => entry.name === 'undo';

/** The mutations that were made here, in their order. */
export class Outbox {
  /** By the keys of their records. */
  #entries = new Map<string, OutboxEntry>();
  /** The greatest key of a record that there was. */
  #last = '';
  /** Keys of those that may have been sent, by this or an earlier process. */
  readonly #tried = new Set<string>();

  get(key: string): OutboxEntry | undefined {
    return this.#entries.get(recordKeyOf(key));
  }

  /** Whether it would come after all existing ones. */
  isLast(recordKey: string): boolean {
    return recordKey > this.#last;
  }

  /** Puts an entry in, or takes it out, by the key of its record. @returns what was there */
  set(recordKey: string, entry: OutboxEntry | undefined): OutboxEntry | undefined {
    const before = this.#entries.get(recordKey);
    if (!entry) this.#entries.delete(recordKey);
    else {
      const isLast = before !== undefined || this.isLast(recordKey);
      this.#entries.set(recordKey, entry);
      // What is made from now on comes after it.
      noteId(entry.key);
      if (recordKey > this.#last) this.#last = recordKey;
      if (!isLast) this.#entries = new Map([...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1)));
    }
    return before;
  }

  has(recordKey: string): boolean {
    return this.#entries.has(recordKey);
  }

  records(): ReadonlyMap<string, OutboxEntry> {
    return this.#entries;
  }

  /** Those that have happened, or are to. */
  get pending(): OutboxEntry[] {
    return [...this.#entries.values()].filter(({ state }) => state !== 'refused');
  }

  /** Those that are shown: all of these but what another one of them undoes. */
  get shown(): OutboxEntry[] {
    const { pending } = this;
    const undone = new Set(pending.filter(isUndo).map(({ variables }) => variables.operationId));
    return pending.filter(({ key }) => !undone.has(key));
  }

  /** Whether nothing of it has left this process, or an earlier one. */
  isUnsent(key: string): boolean {
    return this.get(key)?.state === 'queued' && !this.#tried.has(key);
  }

  get refused(): OutboxEntry[] {
    return [...this.#entries.values()].filter(({ state }) => state === 'refused');
  }

  markTried(key: string): void {
    this.#tried.add(key);
  }

  /**
   * The first without an answer, as many as one request takes, which are about to be sent.
   * @param isSaved whether it is stored: what is not holds up those behind it
   */
  toSend(most: number, isSaved: (key: string) => boolean): OutboxEntry[] {
    const entries: OutboxEntry[] = [];
    let length = 0;
    for (const entry of this.pending) {
      if (entry.state !== 'queued') continue;
      length += JSON.stringify(entry).length;
      if (!isSaved(entry.key) || entries.length === most || (entries.length > 0 && length > maxLength)) break;
      entries.push(entry);
    }
    for (const { key } of entries) this.markTried(key);
    return entries;
  }

  /** What a batch makes of entries: those that it names are done. @returns changes of records */
  confirmedBy(mutations: readonly string[]): [string, undefined][] {
    return mutations.filter((key) => this.get(key)).map((key) => [recordKeyOf(key), undefined]);
  }

  /** What another account makes of entries: those without an answer are not to happen in its name. @returns changes of records */
  refusedForAccount(): [string, OutboxEntry][] {
    const error = madeByAnother().toJSON();
    return this.pending
      .filter(({ state }) => state === 'queued')
      .map((entry) => [recordKeyOf(entry.key), { ...entry, state: 'refused', error }]);
  }

  /**
   * What a load from the beginning makes of entries: it has what was answered before, and names none of it.
   * @returns changes of records
   */
  confirmedByLoad(): [string, OutboxEntry | undefined][] {
    return this.pending
      .filter(({ key, state }) => state === 'answered' || this.#tried.has(key))
      .map((entry) => [recordKeyOf(entry.key), entry.state === 'answered' ? undefined : { ...entry, mayBeHeld: true }]);
  }
}
