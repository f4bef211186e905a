import { kinds, Replica, type Row, type ReceivedBatch } from '../sync/replica.ts';
import type { Effect, Effects } from './effects.ts';
import type { SentWrite } from './load.ts';
import { titleOfSeries } from './series-acts.ts';

const markOfRow = (row: Row) => (row['dueDate'] ?? row['name'] ?? row['text'] ?? '') as string;

const isOfSeries = ({ title }: Row) => typeof title === 'string' && title.startsWith(titleOfSeries);

/**
 * Checks all batches that a replica applies against the commits:
 *
 * - No entity returns to an earlier state or shows an uncommitted one.
 * - At the end of a run of batches, the replica has each transaction whole or not at all, and no dangling references.
 * - A mutation is acknowledged once, and not before its effect is visible.
 */
export class History {
  readonly problems: string[] = [];
  readonly replica = new Replica();
  readonly #userId: string;
  readonly #effects: Effects;
  /** Last effect seen on each entity. */
  readonly #reached = new Map<string, number>();
  /** Rows since the last consistent moment. */
  #since: Row[] = [];
  readonly #named = new Map<string, number>();

  constructor(userId: string, effects: Effects) {
    this.#userId = userId;
    this.#effects = effects;
  }

  apply(batch: ReceivedBatch, writes: ReadonlyMap<string, SentWrite>): void {
    this.replica.apply(batch);
    for (const row of kinds.flatMap((kind) => batch[kind])) this.#advance(row);
    for (const key of batch.mutations) {
      this.#named.set(key, (this.#named.get(key) ?? 0) + 1);
      const { mark = '', deletes = '' } = writes.get(key) ?? {};
      const isVisible =
        this.#effects.withMark(mark).every((effect) => this.#shows(effect)) && !this.replica.find(deletes);
      if (!isVisible) this.problems.push(`named before its effect: ${key} (${mark}${deletes})`);
    }
    if (!batch.hasMore) for (const row of this.#since.splice(0)) this.#checkMoment(row);
  }

  acknowledgements(key: string): number {
    return this.#named.get(key) ?? 0;
  }

  #advance(row: Row): void {
    this.#since.push(row);
    if (row.id.startsWith('wksp_') || isOfSeries(row)) return;
    const version = this.#effects.version(row.id, markOfRow(row));
    if (version === undefined) this.problems.push(`never committed: ${row.id} as ${markOfRow(row)}`);
    else if (version < (this.#reached.get(row.id) ?? 0))
      this.problems.push(`goes back: ${row.id} to ${markOfRow(row)}`);
    else this.#reached.set(row.id, version);
  }

  #checkMoment({ id }: Row): void {
    const row = this.replica.find(id);
    if (!row) return;
    const owners = ['workspaceId', 'projectId', 'sectionId', 'parentId', 'taskId'].map((field) => row[field]);
    for (const owner of owners) {
      if (typeof owner === 'string' && !this.replica.find(owner)) this.problems.push(`lacks ${owner}: ${id}`);
    }
    if (isOfSeries(row)) return;
    const [first] = this.#effects.withMark(markOfRow(row)).filter((effect) => effect.id === id);
    for (const effect of first ? this.#effects.ofTransaction(first.transaction) : []) {
      if (!this.#shows(effect)) this.problems.push(`in part: ${id} without ${effect.id} as ${effect.mark}`);
    }
  }

  /** Whether the replica has the effect or a later state. */
  #shows(effect: Effect): boolean {
    const row = this.replica.find(effect.id);
    if (row)
      return effect.kind !== 'GONE' && (this.#effects.version(row.id, markOfRow(row)) ?? 0) >= this.#versionOf(effect);
    const isSpaceVisible = effect.spaceId === this.#userId || this.replica.find(effect.spaceId) !== undefined;
    return !isSpaceVisible || this.#effects.hasLeftSince(effect);
  }

  #versionOf({ id, mark }: Effect): number {
    return this.#effects.version(id, mark) ?? 0;
  }
}
