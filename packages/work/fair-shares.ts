import { quotaOfGroup } from './group-counts.ts';

/** Maximum disadvantage of a key that ran long. */
const maxDebtMs = 10_000;

/** A key is light if it uses at most this part of one slot. */
const lightPart = 1 / 32;

const smoothing = 0.1;

const minSharesToPrune = 1_000;

interface Share {
  held: number;
  /** Virtual start of its next job, if not past. */
  finish: number;
  /** Moment when the key is light again. */
  lightAt: number;
}

export interface HeldSlot {
  readonly keys: readonly string[];
  readonly startedAt: number;
  /** Charged to its keys in advance. */
  readonly estimateMs: number;
}

/**
 * Start-time fair queueing (Goyal, Vin, Cheng 1996): in virtual time, a job starts at the end of its key's last job,
 * but no earlier than the start of any key's most recent job.
 */
export class FairShares {
  readonly #slotsPerKey: number;
  readonly #shares = new Map<string, Share>();
  #virtualNow = 0;
  #estimateMs = 1;
  #pruneAbove = minSharesToPrune;

  constructor(slotsPerKey: number) {
    this.#slotsPerKey = slotsPerKey;
  }

  /** @param onlyLight whether the slot is reserved for light keys and groups that hold no other slot */
  mayHold(keys: readonly string[], onlyLight: boolean): boolean {
    const now = onlyLight ? performance.now() : 0;
    return keys.every((key, width) => {
      const share = this.#shares.get(key);
      if (!share) return true;
      if (onlyLight && (share.lightAt > now || share.held > 0)) return false;
      return share.held < quotaOfGroup(this.#slotsPerKey, width);
    });
  }

  startOf(keys: readonly string[]): number {
    return keys.reduce((start, key) => Math.max(start, this.#shares.get(key)?.finish ?? 0), this.#virtualNow);
  }

  hold(keys: readonly string[]): HeldSlot {
    this.#virtualNow = this.startOf(keys);
    const slot = { keys, startedAt: performance.now(), estimateMs: this.#estimateMs };
    keys.forEach((key, width) => {
      const share = this.#shares.get(key) ?? { held: 0, finish: 0, lightAt: 0 };
      this.#shares.set(key, share);
      share.held += 1;
      share.finish = Math.max(share.finish, this.#virtualNow) + slot.estimateMs / quotaOfGroup(1, width);
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
      share.finish = Math.min(share.finish + (ms - estimateMs) / part, this.#virtualNow + maxDebtMs);
      share.lightAt = Math.min(Math.max(share.lightAt, startedAt) + ms / part / lightPart, now + maxDebtMs / lightPart);
    });
    if (this.#shares.size > this.#pruneAbove) this.#prune(now);
  }

  #prune(now: number): void {
    for (const [key, { held, finish, lightAt }] of this.#shares) {
      if (held === 0 && finish <= this.#virtualNow && lightAt <= now) this.#shares.delete(key);
    }
    this.#pruneAbove = Math.max(minSharesToPrune, 2 * this.#shares.size);
  }
}
