import { doubling } from '../../kernel/backoff.ts';
import { isSamePoint, type Point } from '../../kernel/point.ts';
import type { Place } from '../log/cursor.ts';
import type { Subscriber } from './hub.ts';

/** Spaces that are read at once at most. */
export const mostSpaces = 100;
/** How many, fewer after each failure, until the one that fails is alone. */
const pageSizes = [mostSpaces, 10, 1];
/** Milliseconds until a space that fails alone is read again. */
const retryMs = doubling(1000, 60_000);

/** A space that has subscribers, and how far its log has been read for them. */
export class WatchedSpace {
  readonly subscribers = new Set<Subscriber>();
  /** The log has been read and dispatched up to here. */
  point: Point;
  /** Positions of subscribers that have read further by themselves: what is dispatched has to come by there. */
  aheadPositions: Place[] = [];
  /** Since when it may have changes that were not read yet, by the process' clock. */
  behindSince: number | undefined;
  /** Index of its page size, and beyond those how often it was tried alone, since it was last read. */
  #failures = 0;
  #retryAt = 0;

  constructor(point: Point) {
    this.point = point;
  }

  /** With how many spaces, itself included, it may be read at once. */
  get pageSize(): number {
    return pageSizes[this.#failures] ?? 1;
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Whether it need not wait for its next retry. */
  get isReadable(): boolean {
    return this.#retryAt <= performance.now();
  }

  /** It could not be read. @param together how many spaces were read at once */
  noteFailure(together: number): void {
    const smaller = pageSizes.findIndex((size) => size < together);
    this.#failures = Math.max(this.#failures + 1, smaller === -1 ? pageSizes.length : smaller);
    const retry = this.#failures - pageSizes.length;
    if (retry >= 0) this.#retryAt = performance.now() + retryMs(retry);
  }

  noteSuccess(): void {
    this.#failures = 0;
  }

  /** A subscriber has read the log up to a place by itself. */
  noteAhead(place: Place): void {
    if (this.point.revision >= place.revision) return;
    if (!this.aheadPositions.some((known) => isSamePoint(known, place))) this.aheadPositions.push(place);
  }

  /** The log has been read up to a point. @param passed ahead positions that it comes by, or is to come by */
  advance(point: Point, passed: readonly Place[]): void {
    if (this.point.revision < point.revision) this.point = point;
    const isAhead = (each: Place) => each.revision > this.point.revision || !passed.includes(each);
    this.aheadPositions = this.aheadPositions.filter(isAhead);
  }
}
