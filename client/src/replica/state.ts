import { applyBatch, type Batch } from './batch.ts';
import { listKey } from './indexes.ts';
import { type MutationName, mutations } from './mutations.ts';
import { isOutboxRecord, isUndo, Outbox, type OutboxEntry, recordKeyOf } from './outbox.ts';
import type { Records } from './storage.ts';
import { BaseTable, Overlay, type Table } from './tables.ts';
import type { Entity } from './types.ts';
import { View } from './view.ts';

/** Keys of other records than entities and the outbox. */
const [cursorKey, versionKey] = ['cursor', 'version'];

type OnSettled = (entry: OutboxEntry, refused: OutboxEntry | undefined) => void;

/** Server state with the pending mutations applied. All changes are records, from a batch, the outbox, the storage or another tab. */
export class ReplicaState {
  readonly view = new View();
  readonly outbox = new Outbox();
  /** Undefined before the first load. */
  cursor: string | undefined;
  /** Number of the last write. It shows tabs that they have missed a write. */
  version = 0;
  /** Server state: one moment of the database. */
  readonly #serverTable = new BaseTable();
  /** Server state with the pending mutations applied. */
  #displayedTable = new Overlay(this.#serverTable);
  /** Record keys of removed mutations. Later messages about them are ignored. */
  readonly #removedKeys = new Set<string>();
  readonly #onSettled: OnSettled;

  /** @param onSettled called for confirmed or refused entries */
  constructor(onSettled: OnSettled = () => undefined) {
    this.#onSettled = onSettled;
  }

  recordsOf(batches: readonly Batch[]): Map<string, unknown> {
    const overlay = new Overlay(this.#serverTable);
    for (const batch of batches) applyBatch(overlay, batch);
    const tagIds = new Map(
      [...overlay.changes.values()].flatMap((each) => (each?.__typename === 'Tag' ? [[each.name, each.id]] : [])),
    );
    return new Map<string, unknown>([
      ...overlay.changes,
      ...(batches.some(({ full }) => full) ? this.outbox.fullLoadRecords((id) => overlay.get(id) !== undefined) : []),
      ...this.outbox.mergedTagRecords(tagIds),
      ...(this.#belongToOtherAccount(batches) ? this.outbox.refusedRecords() : []),
      ...this.outbox.confirmedRecords(batches.flatMap((batch) => batch.mutations)),
      [cursorKey, batches.at(-1)?.cursor],
    ]);
  }

  /** Account of the batches. If they do not name one, they continue the present account. */
  accountOf(batches: readonly Batch[]): string | undefined {
    return batches.find(({ user }) => user !== null)?.user?.id ?? this.account;
  }

  /** Undefined before the first load. */
  get account(): string | undefined {
    return this.view.list(listKey('User'))[0]?.id;
  }

  #belongToOtherAccount(batches: readonly Batch[]): boolean {
    return this.account !== undefined && this.accountOf(batches) !== this.account;
  }

  records(): Map<string, unknown> {
    const keys = [...this.#serverTable.ids()].map((id): [string, unknown] => [id, this.#serverTable.get(id)]);
    return this.withVersion(new Map([...keys, ...this.outbox.records(), [cursorKey, this.cursor]]), this.version);
  }

  /** Whether the state is newer than stored records, or the storage was lost. */
  isNewerThan(records: Records): boolean {
    return this.version > ((records.get(versionKey) as number | undefined) ?? 0);
  }

  /** Replaces the state by stored records. @param unsavedKeys keys of records that are not stored yet, and stay */
  reset(records: Records, unsavedKeys: ReadonlySet<string>): void {
    const currentKeys = [...this.#serverTable.ids(), ...this.outbox.records().keys()];
    const missingKeys = currentKeys.filter((key) => !records.has(key) && !unsavedKeys.has(key));
    this.apply(new Map([...missingKeys.map((key): [string, unknown] => [key, undefined]), ...records]));
  }

  withVersion(changes: Records, version: number): Map<string, unknown> {
    return new Map<string, unknown>([...changes, [versionKey, version]]);
  }

  /** Whether a mutation is in the outbox, or was. */
  hasSeen(key: string): boolean {
    return this.outbox.get(key) !== undefined || this.#removedKeys.has(recordKeyOf(key));
  }

  /** Returns the entities that a mutation changes, by id, as they are without it. Null if there is none. */
  before(key: string): [string, Entity | null][] {
    const entry = this.outbox.pending.find((each) => each.key === key);
    if (!entry) return [];
    const tableBefore = new Overlay(this.#serverTable);
    for (const each of this.outbox.displayed) if (each !== entry) applyEntry(tableBefore, each);
    const overlay = new Overlay(tableBefore);
    applyEntry(overlay, entry);
    return [...overlay.changes.keys()].map((id) => [id, tableBefore.get(id) ?? null]);
  }

  apply(records: Records): void {
    const changedIds = new Set<string>();
    const outbox = new OutboxChange();
    for (const [key, value] of records) {
      if (key === cursorKey) this.cursor = value as string | undefined;
      else if (key === versionKey) this.version = value as number;
      else if (isOutboxRecord(key)) this.#changeOutbox(outbox, key, value as OutboxEntry | undefined);
      else {
        changedIds.add(key);
        if (value === undefined) this.#serverTable.delete(key);
        else this.#serverTable.set(value as Entity);
      }
    }
    if (outbox.mustReapply || changedIds.size > 0) this.#reapplyAll(changedIds);
    else for (const entry of outbox.added) this.#applyOnTop(entry, changedIds);
    this.view.update(changedIds, (id) => this.#displayedTable.get(id));
    if (outbox.isChanged) {
      this.view.setValue('pending', this.outbox.pending);
      this.view.setValue('refused', this.outbox.refused);
    }
    for (const [entry, refused] of outbox.settled) this.#onSettled(entry, refused);
  }

  #changeOutbox(change: OutboxChange, key: string, entry: OutboxEntry | undefined): void {
    if (this.#removedKeys.has(key)) return;
    const isLast = this.outbox.isLast(key);
    const before = this.outbox.set(key, entry);
    const [wasDisplayed, isDisplayed] = [before, entry].map((each) => each !== undefined && each.state !== 'refused');
    change.isChanged = true;
    if (isDisplayed && !wasDisplayed && entry) change.added.push(entry);
    if (wasDisplayed && !isDisplayed && before) change.settled.push([before, entry]);
    if (!entry) this.#removedKeys.add(key);
    change.mustReapply ||= wasDisplayed !== isDisplayed && !(isDisplayed && isLast && entry && !isUndo(entry));
  }

  /** Applies the effect of a new last entry. */
  #applyOnTop(entry: OutboxEntry, changedIds: Set<string>): void {
    const overlay = new Overlay(this.#displayedTable);
    applyEntry(overlay, entry);
    for (const [id, entity] of overlay.changes) {
      changedIds.add(id);
      if (entity) this.#displayedTable.set(entity);
      else this.#displayedTable.delete(id);
    }
  }

  /** Applies the effects of all entries again. */
  #reapplyAll(changedIds: Set<string>): void {
    for (const id of this.#displayedTable.changes.keys()) changedIds.add(id);
    this.#displayedTable = new Overlay(this.#serverTable);
    for (const entry of this.outbox.displayed) applyEntry(this.#displayedTable, entry);
    for (const id of this.#displayedTable.changes.keys()) changedIds.add(id);
  }
}

class OutboxChange {
  isChanged = false;
  readonly added: OutboxEntry[] = [];
  /** Entries that were refused, or removed after their confirmation. */
  readonly settled: [OutboxEntry, OutboxEntry | undefined][] = [];
  /** Whether an entry below others changed. */
  mustReapply = false;
}

function applyEntry<Name extends MutationName>(table: Table, { name, variables, hints, at }: OutboxEntry<Name>): void {
  // A mutation that only a later version of the package knows is sent, but not displayed.
  if (name in mutations) mutations[name].apply(table, variables, hints, at);
}
