import { applyBatch, type Batch } from './batch.ts';
import { keyOf } from './indexes.ts';
import { type MutationName, mutations } from './mutations.ts';
import { isOutboxRecord, isUndo, Outbox, type OutboxEntry, recordKeyOf } from './outbox.ts';
import type { Records } from './storage.ts';
import { BaseTable, Overlay, type Table } from './tables.ts';
import type { Entity } from './types.ts';
import { View } from './view.ts';

/** Keys of records that are neither entities, which have their ids, nor of the outbox. */
const [cursorKey, versionKey] = ['cursor', 'version'];

/** Called for an entry that is confirmed, or refused: with what the outbox has of it then. */
type OnSettled = (entry: OutboxEntry, refused: OutboxEntry | undefined) => void;

/**
 * What a replica holds, and what it shows: what the service said last, with the mutations on top that it has not brought yet. All
 * that changes it is records, wherever they come from: a batch, the outbox, the storage, another tab.
 */
export class ReplicaState {
  readonly view = new View();
  readonly outbox = new Outbox();
  /** The position of the replica; undefined: it has nothing yet. */
  cursor: string | undefined;
  /** Number of the last write, by which tabs that share a storage know whether they missed one. */
  version = 0;
  /** As the service said last: one moment of the database. */
  readonly #held = new BaseTable();
  /** What is shown: that with what is in the outbox. */
  #shown = new Overlay(this.#held);
  /** Keys of records of entries that are gone for good: what another tab says of them comes too late. */
  readonly #gone = new Set<string>();
  readonly #onSettled: OnSettled;

  /** @param onSettled is called for each entry that is confirmed or refused */
  constructor(onSettled: OnSettled = () => undefined) {
    this.#onSettled = onSettled;
  }

  /**
   * @param batches of which the last brings the replica to one moment
   * @returns the records that bring the state to what they say
   */
  recordsOf(batches: readonly Batch[]): Map<string, unknown> {
    const next = new Overlay(this.#held);
    for (const batch of batches) applyBatch(next, batch);
    return new Map<string, unknown>([
      ...next.changes,
      ...(batches.some(({ full }) => full) ? this.outbox.confirmedByLoad() : []),
      ...(this.#isOfAnother(batches) ? this.outbox.refusedForAccount() : []),
      ...this.outbox.confirmedBy(batches.flatMap((batch) => batch.mutations)),
      [cursorKey, batches.at(-1)?.cursor],
    ]);
  }

  /** Id of the account of batches: they bring it, or continue by its cursor from what is held, which no other account has. */
  accountOf(batches: readonly Batch[]): string | undefined {
    return batches.find(({ user }) => user !== null)?.user?.id ?? this.account;
  }

  /** Id of the account of what is held; undefined: it holds nothing yet. */
  get account(): string | undefined {
    return this.view.list(keyOf('User'))[0]?.id;
  }

  /** Whether they are of another account than what is held. */
  #isOfAnother(batches: readonly Batch[]): boolean {
    return this.account !== undefined && this.accountOf(batches) !== this.account;
  }

  /** All that it has. */
  records(): Map<string, unknown> {
    const keys = [...this.#held.ids()].map((id): [string, unknown] => [id, this.#held.get(id)]);
    return this.numbered(new Map([...keys, ...this.outbox.records(), [cursorKey, this.cursor]]), this.version);
  }

  /** Whether records are of an earlier write, or of none: the storage that has them was lost. */
  isNewerThan(records: Records): boolean {
    return this.version > ((records.get(versionKey) as number | undefined) ?? 0);
  }

  /** Brings the state to what a storage has. @param unsaved keys of records that it does not have yet */
  reset(records: Records, unsaved: ReadonlySet<string>): void {
    const known = [...this.#held.ids(), ...this.outbox.records().keys()];
    const gone = known.filter((key) => !records.has(key) && !unsaved.has(key));
    this.apply(new Map([...gone.map((key): [string, unknown] => [key, undefined]), ...records]));
  }

  /** Changes, as the write with that number. */
  numbered(changes: Records, version: number): Map<string, unknown> {
    return new Map<string, unknown>([...changes, [versionKey, version]]);
  }

  /** Whether it knows a mutation, also one that is gone. */
  knows(key: string): boolean {
    return this.outbox.get(key) !== undefined || this.#gone.has(recordKeyOf(key));
  }

  /** What a pending mutation changes, as it is without it, by ids; null: it is not there. */
  before(key: string): [string, Entity | null][] {
    const entry = this.outbox.pending.find((each) => each.key === key);
    if (!entry) return [];
    const without = new Overlay(this.#held);
    for (const each of this.outbox.shown) if (each !== entry) show(without, each);
    const top = new Overlay(without);
    show(top, entry);
    return [...top.changes.keys()].map((id) => [id, without.get(id) ?? null]);
  }

  /** Takes records over, and shows what they change. */
  apply(records: Records): void {
    const touched = new Set<string>();
    const outbox = new OutboxChange();
    for (const [key, value] of records) {
      if (key === cursorKey) this.cursor = value as string | undefined;
      else if (key === versionKey) this.version = value as number;
      else if (isOutboxRecord(key)) this.#changeOutbox(outbox, key, value as OutboxEntry | undefined);
      else {
        touched.add(key);
        if (value === undefined) this.#held.delete(key);
        else this.#held.set(value as Entity);
      }
    }
    if (outbox.isAnew || touched.size > 0) this.#showAll(touched);
    else for (const entry of outbox.added) this.#showOnTop(entry, touched);
    this.view.update(touched, (id) => this.#shown.get(id));
    if (outbox.isChanged) {
      this.view.setValue('pending', this.outbox.pending);
      this.view.setValue('refused', this.outbox.refused);
    }
    for (const [entry, refused] of outbox.settled) this.#onSettled(entry, refused);
  }

  #changeOutbox(change: OutboxChange, key: string, entry: OutboxEntry | undefined): void {
    if (this.#gone.has(key)) return;
    const isLast = this.outbox.isLast(key);
    const before = this.outbox.set(key, entry);
    const [wasShown, isShown] = [before, entry].map((each) => each !== undefined && each.state !== 'refused');
    change.isChanged = true;
    if (isShown && !wasShown && entry) change.added.push(entry);
    if (wasShown && !isShown && before) change.settled.push([before, entry]);
    if (!entry) this.#gone.add(key);
    change.isAnew ||= wasShown !== isShown && !(isShown && isLast && entry && !isUndo(entry));
  }

  /** Shows an entry on top of all that is shown. */
  #showOnTop(entry: OutboxEntry, touched: Set<string>): void {
    const top = new Overlay(this.#shown);
    show(top, entry);
    for (const [id, entity] of top.changes) {
      touched.add(id);
      if (entity) this.#shown.set(entity);
      else this.#shown.delete(id);
    }
  }

  /** Shows all entries on top of what is held. */
  #showAll(touched: Set<string>): void {
    for (const id of this.#shown.changes.keys()) touched.add(id);
    this.#shown = new Overlay(this.#held);
    for (const entry of this.outbox.shown) show(this.#shown, entry);
    for (const id of this.#shown.changes.keys()) touched.add(id);
  }
}

/** What records change of the outbox. */
class OutboxChange {
  isChanged = false;
  /** Those that are to be shown now. */
  readonly added: OutboxEntry[] = [];
  /** As they were, with what they are now: refused, or gone as they are confirmed. */
  readonly settled: [OutboxEntry, OutboxEntry | undefined][] = [];
  /** Whether everything must be applied again, as something below the top has changed. */
  isAnew = false;
}

function show<Name extends MutationName>(table: Table, { name, variables, hints, at }: OutboxEntry<Name>): void {
  // A later version of the package may have stored one that this one does not know: it is sent, and not shown.
  if (name in mutations) mutations[name].show(table, variables, hints, at);
}
