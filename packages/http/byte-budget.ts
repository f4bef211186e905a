import { labelledGauge, unavailable } from '@taskgate/base';
import { type FairKey, type FairKeys, GroupCounts, keysOf } from '@taskgate/work';

const heldBytes = labelledGauge(
  'taskgate_request_body_bytes',
  'Memory that request bodies hold, by budget, in bytes.',
  'budget',
);

export interface ByteBudgetOptions {
  /** Bytes for all keys together, in addition to the guarantees. */
  maxBytes: number;
  /** A key is an account or a client address. Networks get more: see `quotaOfGroup` of @taskgate/work. */
  maxBytesOfKey: number;
  /** Not covered by `maxBytes`, so small requests pass under any load. The number of keys must be bounded. */
  guaranteedBytesOfKey?: number;
}

const retryAfterSeconds = 5;

/** Bounds the memory of work in progress. */
export class ByteBudget {
  readonly #options: ByteBudgetOptions;
  readonly #heldByKey = new GroupCounts();
  #held = 0;
  #shared = 0;

  constructor(name: string, options: ByteBudgetOptions) {
    this.#options = options;
    heldBytes.track(name, () => this.#held);
  }

  get held(): number {
    return this.#held;
  }

  lease(key: FairKey) {
    const keys = keysOf(key);
    let bytes = 0;
    return {
      /** Takes all or none. @throws UNAVAILABLE */
      take: (more: number): void => {
        this.#add(keys, more);
        bytes += more;
      },
      /** Idempotent. */
      release: (): void => {
        this.#subtract(keys, bytes);
        bytes = 0;
      },
    };
  }

  #add(keys: FairKeys, bytes: number): void {
    const { maxBytes, maxBytesOfKey } = this.#options;
    const before = this.#heldByKey.get(keys[0]);
    const shared = this.#sharedOf(before + bytes) - this.#sharedOf(before);
    const isWithinKey = this.#heldByKey.hasRoom(keys, bytes, maxBytesOfKey);
    if (!isWithinKey || (shared > 0 && this.#shared + shared > maxBytes)) {
      throw unavailable('Too many request bodies in progress: try again in a moment', retryAfterSeconds);
    }
    this.#heldByKey.add(keys, bytes);
    this.#held += bytes;
    this.#shared += shared;
  }

  #subtract(keys: FairKeys, bytes: number): void {
    const before = this.#heldByKey.get(keys[0]);
    this.#heldByKey.add(keys, -bytes);
    this.#held -= bytes;
    this.#shared -= this.#sharedOf(before) - this.#sharedOf(before - bytes);
  }

  #sharedOf(bytesOfKey: number): number {
    return Math.max(0, bytesOfKey - (this.#options.guaranteedBytesOfKey ?? 0));
  }
}

export type ByteLease = ReturnType<ByteBudget['lease']>;
