import { doubling } from '@taskgate/base';
import { isSamePoint, type Point } from '@taskgate/postgres';
import type { SpacePoint } from '../log/cursor.ts';
import type { Subscriber } from './subscriber.ts';

export const mostSpaces = 100;
/** Spaces in a read after each failure. */
const pageSizes = [mostSpaces, 10, 1];
/** Backoff of a space that fails alone. */
const retryMs = doubling(1000, 60_000);

export class WatchedSpace {
  readonly subscribers = new Set<Subscriber>();
  point: Point;
  /** Points that subscribers have read themselves. The dispatched history must include them. */
  aheadPositions: SpacePoint[] = [];
  /** Earliest time of an unread change, by `performance.now()`. */
  behindSince: number | undefined;
  /** Index of the page size, then attempts alone. */
  #failures = 0;
  #retryAt = 0;

  constructor(point: Point) {
    this.point = point;
  }

  get pageSize(): number {
    return pageSizes[this.#failures] ?? 1;
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Whether its backoff has passed. */
  get isReadable(): boolean {
    return this.#retryAt <= performance.now();
  }

  /** @param together spaces in the failed read */
  noteFailure(together: number): void {
    const smaller = pageSizes.findIndex((size) => size < together);
    this.#failures = Math.max(this.#failures + 1, smaller === -1 ? pageSizes.length : smaller);
    const retry = this.#failures - pageSizes.length;
    if (retry >= 0) this.#retryAt = performance.now() + retryMs(retry);
  }

  noteSuccess(): void {
    this.#failures = 0;
  }

  noteAhead(point: SpacePoint): void {
    if (this.point.revision >= point.revision) return;
    if (!this.aheadPositions.some((ahead) => isSamePoint(ahead, point))) this.aheadPositions.push(point);
  }

  /** @param passed ahead positions in the read or after it */
  advance(point: Point, passed: readonly SpacePoint[]): void {
    if (this.point.revision < point.revision) this.point = point;
    const isAhead = (each: SpacePoint) => each.revision > this.point.revision || !passed.includes(each);
    this.aheadPositions = this.aheadPositions.filter(isAhead);
  }
}
