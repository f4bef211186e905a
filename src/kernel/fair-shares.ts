import { quotaOfGroup } from './group-counts.ts';

/** Milliseconds of use that a key is charged with at most: a key that has run for minutes waits no longer than this behind the others. */
const maxDebtMs = 10_000;

/** Part of one slot that a light key uses at most. */
const lightPart = 1 / 32;

/** Part of the estimated time of a piece of work that the last one contributes. */
const smoothing = 0.1;

/** Keys that are remembered before those that owe nothing are forgotten. */
const minForgotten = 1_000;

/** What a key, or a group, holds and has used. */
interface Share {
  held: number;
  /** Virtual time at which its next piece of work starts, where that is not in the past. */
  finish: number;
  /** When it is light again, by `performance.now()`. */
  lightAt: number;
}

export interface HeldSlot {
  readonly keys: readonly string[];
  readonly startedAt: number;
  /** Milliseconds that its keys were charged with in advance. */
  readonly estimateMs: number;
}

/**
 * Who has used how much of some slots, in virtual time (start-time fair queueing; Goyal, Vin, Cheng 1996): a piece of work starts
 * where the last one of its key has ended, and no earlier than the piece of work of anybody that began last.
 */
export class FairShares {
  readonly #slotsPerKey: number;
  readonly #shares = new Map<string, Share>();
  /** Virtual time: the start of the piece of work that began last. */
  #now = 0;
  /** Milliseconds that a piece of work takes, about. */
  #estimateMs = 1;
  #forgetAt = minForgotten;

  constructor(slotsPerKey: number) {
    this.#slotsPerKey = slotsPerKey;
  }

  /**
   * Whether keys may hold one slot more.
   * @param onlyLight whether it is one that is kept for keys and groups that hold none, and have hardly used any lately
   */
  mayHold(keys: readonly string[], onlyLight: boolean): boolean {
    const now = onlyLight ? performance.now() : 0;
    return keys.every((key, width) => {
      const share = this.#shares.get(key);
      if (!share) return true;
      if (onlyLight && (share.lightAt > now || share.held > 0)) return false;
      return share.held < quotaOfGroup(this.#slotsPerKey, width);
    });
  }

  /** Virtual time at which a piece of work of these keys starts. */
  startOf(keys: readonly string[]): number {
    return keys.reduce((start, key) => Math.max(start, this.#shares.get(key)?.finish ?? 0), this.#now);
  }

  hold(keys: readonly string[]): HeldSlot {
    this.#now = this.startOf(keys);
    const slot = { keys, startedAt: performance.now(), estimateMs: this.#estimateMs };
    keys.forEach((key, width) => {
      const share = this.#shares.get(key) ?? { held: 0, finish: 0, lightAt: 0 };
      this.#shares.set(key, share);
      share.held += 1;
      share.finish = Math.max(share.finish, this.#now) + slot.estimateMs / quotaOfGroup(1, width);
    });
    return slot;
  }

  release({ keys, startedAt, estimateMs }: HeldSlot): void {
    const now = performance.now();
    const ms = now - startedAt;
    this.#estimateMs += smoothing * (ms - this.#estimateMs);
    keys.forEach((key, width) => {
      const share = this.#shares.get(key);
      if (!share) return;
      const part = quotaOfGroup(1, width);
      share.held -= 1;
      share.finish = Math.min(share.finish + (ms - estimateMs) / part, this.#now + maxDebtMs);
      share.lightAt = Math.min(Math.max(share.lightAt, startedAt) + ms / part / lightPart, now + maxDebtMs / lightPart);
    });
    if (this.#shares.size > this.#forgetAt) this.#forget(now);
  }

  /** Forgets keys that hold nothing and owe nothing. */
  #forget(now: number): void {
    for (const [key, { held, finish, lightAt }] of this.#shares) {
      if (held === 0 && finish <= this.#now && lightAt <= now) this.#shares.delete(key);
    }
    this.#forgetAt = Math.max(minForgotten, 2 * this.#shares.size);
  }
}
