import type { Point } from '@taskgate/postgres';
import type { Points } from '../log/cursor.ts';
import { Transaction } from '../log/page.ts';

/** Waiting transactions, and points without further tasks before them. */
export class ChangeQueue {
  #entries: (Transaction | Points)[] = [];
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  push(transaction: Transaction): void {
    this.#entries.push(transaction);
    this.#rows += transaction.rows.length;
  }

  advance(points: ReadonlyMap<string, Point>): void {
    const last = this.#entries.at(-1);
    if (!last || last instanceof Transaction) this.#entries.push(new Map(points));
    else for (const [id, point] of points) last.set(id, point);
  }

  shift(): Transaction | Points | undefined {
    const first = this.#entries.shift();
    if (first instanceof Transaction) this.#rows -= first.rows.length;
    return first;
  }

  clear(): void {
    this.#entries = [];
    this.#rows = 0;
  }
}
