import { applyBatch, type Batch } from './batch.ts';
import { keyOf } from './indexes.ts';
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
  /** Undefined when empty. */
  cursor: string | undefined;
  /** Tabs detect missed writes by it. */
  version = 0;
  /** Server state: one moment of the database. */
  readonly #held = new BaseTable();
  /** Server state with the pending mutations applied. */
  #shown = new Overlay(this.#held);
  /** Later messages about these keys are ignored. */
  readonly #removedKeys = new Set<string>();
  readonly #onSettled: OnSettled;

  /** @param onSettled called for confirmed or refused entries */
  constructor(onSettled: OnSettled = () => undefined) {
    this.#onSettled = onSettled;
  }

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

  /** Account of the batches, named by them or by the cursor. */
  accountOf(batches: readonly Batch[]): string | undefined {
    return batches.find(({ user }) => user !== null)?.user?.id ?? this.account;
  }

  /** Undefined when empty. */
  get account(): string | undefined {
    return this.view.list(keyOf('User'))[0]?.id;
  }

  #isOfAnother(batches: readonly Batch[]): boolean {
    return this.account !== undefined && this.accountOf(batches) !== this.account;
  }

  records(): Map<string, unknown> {
    const keys = [...this.#held.ids()].map((id): [string, unknown] => [id, this.#held.get(id)]);
    return this.numbered(new Map([...keys, ...this.outbox.records(), [cursorKey, this.cursor]]), this.version);
  }

  /** Whether records are older, or their storage was lost. */
  isNewerThan(records: Records): boolean {
    return this.version > ((records.get(versionKey) as number | undefined) ?? 0);
  }

  /** @param unsaved keys that are not stored yet */
  reset(records: Records, unsaved: ReadonlySet<string>): void {
    const heldKeys = [...this.#held.ids(), ...this.outbox.records().keys()];
    const missing = heldKeys.filter((key) => !records.has(key) && !unsaved.has(key));
    this.apply(new Map([...missing.map((key): [string, unknown] => [key, undefined]), ...records]));
  }

  numbered(changes: Records, version: number): Map<string, unknown> {
    return new Map<string, unknown>([...changes, [versionKey, version]]);
  }

  /** Removed ones too. */
  knows(key: string): boolean {
    return this.outbox.get(key) !== undefined || this.#removedKeys.has(recordKeyOf(key));
  }

  /** Entities without the mutation, by id; null if absent. */
  before(key: string): [string, Entity | null][] {
    const entry = this.outbox.pending.find((each) => each.key === key);
    if (!entry) return [];
    const without = new Overlay(this.#held);
    for (const each of this.outbox.shown) if (each !== entry) show(without, each);
    const top = new Overlay(without);
    show(top, entry);
    return [...top.changes.keys()].map((id) => [id, without.get(id) ?? null]);
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
        if (value === undefined) this.#held.delete(key);
        else this.#held.set(value as Entity);
      }
    }
    if (outbox.mustReapply || changedIds.size > 0) this.#showAll(changedIds);
    else for (const entry of outbox.added) this.#showOnTop(entry, changedIds);
    this.view.update(changedIds, (id) => this.#shown.get(id));
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
    const [wasShown, isShown] = [before, entry].map((each) => each !== undefined && each.state !== 'refused');
    change.isChanged = true;
    if (isShown && !wasShown && entry) change.added.push(entry);
    if (wasShown && !isShown && before) change.settled.push([before, entry]);
    if (!entry) this.#removedKeys.add(key);
    change.mustReapply ||= wasShown !== isShown && !(isShown && isLast && entry && !isUndo(entry));
  }

  /** Applies an entry on top. */
  #showOnTop(entry: OutboxEntry, changedIds: Set<string>): void {
    const top = new Overlay(this.#shown);
    show(top, entry);
    for (const [id, entity] of top.changes) {
      changedIds.add(id);
      if (entity) this.#shown.set(entity);
      else this.#shown.delete(id);
    }
  }

  /** Applies all entries again. */
  #showAll(changedIds: Set<string>): void {
    for (const id of this.#shown.changes.keys()) changedIds.add(id);
    this.#shown = new Overlay(this.#held);
    for (const entry of this.outbox.shown) show(this.#shown, entry);
    for (const id of this.#shown.changes.keys()) changedIds.add(id);
  }
}

class OutboxChange {
  isChanged = false;
  readonly added: OutboxEntry[] = [];
  /** Refused, or removed after confirmation. */
  readonly settled: [OutboxEntry, OutboxEntry | undefined][] = [];
  /** Whether a lower entry changed. */
  mustReapply = false;
}

function show<Name extends MutationName>(table: Table, { name, variables, hints, at }: OutboxEntry<Name>): void {
  // A later version of the package: sent, but not displayed.
  if (name in mutations) mutations[name].show(table, variables, hints, at);
}
