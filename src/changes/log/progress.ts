import type { Point } from '@taskgate/postgres';
import { comparePoints, encodeCursor, type LogPosition, type SpacePoint, type Points } from './cursor.ts';
import type { Transaction } from './page.ts';
import type { Change } from './merge.ts';

/** A reader's position. It detects duplicates. */
export class Progress implements LogPosition {
  readonly points: Points;
  #within: SpacePoint | undefined;
  #last: { changes: readonly Change[]; index: number } | undefined;

  constructor({ points, within }: LogPosition) {
    this.points = new Map(points);
    this.#within = within;
  }

  get within(): SpacePoint | undefined {
    return this.#within;
  }

  get cursor(): string {
    return encodeCursor(this);
  }

  /** Returns spaces of the transaction that the reader lacks. */
  openSpacesOf(transaction: Transaction): string[] {
    const spaces: string[] = [];
    for (const [id, { revision }] of transaction.ends) {
      const delivered = this.points.get(id);
      if (delivered && delivered.revision < revision) spaces.push(id);
    }
    return spaces.sort();
  }

  nextChange(transaction: Transaction, projectId: string | null): Change | undefined {
    const spaces = this.openSpacesOf(transaction);
    if (spaces.length === 0) return undefined;
    const changes = transaction.changesIn(spaces, projectId);
    const index = this.#nextIndex(transaction, changes);
    const change = changes[index];
    if (change && index < changes.length - 1) {
      this.#within = change.point;
      this.#last = { changes, index };
      return change;
    }
    if (this.#within && transaction.has(this.#within)) this.#within = undefined;
    this.#last = undefined;
    for (const id of spaces) this.#reach(id, transaction.ends.get(id));
    return change;
  }

  reach(points: ReadonlyMap<string, Point>): void {
    for (const [id, point] of points) this.#reach(id, point);
  }

  /**
   * Puts an interrupted transaction first, to keep its place in the cursor. Only a space joined since can prevent that.
   */
  interruptedFirst(transactions: readonly Transaction[]): readonly Transaction[] {
    const within = this.#within;
    const index = within ? transactions.findIndex((transaction) => transaction.has(within)) : -1;
    const broken = transactions[index];
    if (!broken || index === 0) return transactions;
    const others = transactions.slice(0, index);
    const isFirst = others.every(({ ends }) => ![...ends.keys()].some((space) => broken.ends.has(space)));
    return isFirst ? [broken, ...others, ...transactions.slice(index + 1)] : transactions;
  }

  #reach(spaceId: string, point: Point | undefined): void {
    const delivered = this.points.get(spaceId);
    if (point && delivered && delivered.revision < point.revision) this.points.set(spaceId, point);
  }

  #nextIndex(transaction: Transaction, changes: readonly Change[]): number {
    const within = this.#within;
    if (!within || !transaction.has(within)) return 0;
    if (this.#last?.changes === changes) return this.#last.index + 1;
    const index = changes.findIndex((change) => comparePoints(change.point, within) > 0);
    return index === -1 ? changes.length : index;
  }
}
