import { quotaOfGroup } from './group-counts.ts';

/** How far a key can fall behind the others. */
const maxDebtMs = 10_000;

/** Part of one slot that a light key may use. */
const lightPart = 1 / 32;

const smoothing = 0.1;

const minForgotten = 1_000;

interface Share {
  held: number;
  /** Virtual start of its next job, if not past. */
  finish: number;
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
  #now = 0;
  #estimateMs = 1;
  #forgetAt = minForgotten;

  constructor(slotsPerKey: number) {
    this.#slotsPerKey = slotsPerKey;
  }

  /** @param onlyLight whether the slot is reserved for keys and groups that hold none, with hardly any recent use */
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

  #forget(now: number): void {
    for (const [key, { held, finish, lightAt }] of this.#shares) {
      if (held === 0 && finish <= this.#now && lightAt <= now) this.#shares.delete(key);
    }
    this.#forgetAt = Math.max(minForgotten, 2 * this.#shares.size);
  }
}
