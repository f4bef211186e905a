import { unavailable } from '../kernel/errors.ts';
import { type FairKey, type FairKeys, GroupCounts, keysOf } from '../kernel/group-counts.ts';
import { labelledGauge } from '../kernel/metrics.ts';

const heldBytes = labelledGauge(
  'taskgate_request_body_bytes',
  'Bytes that bodies of requests hold, by budget.',
  'budget',
);

export interface ByteBudgetOptions {
  /** Bytes that all keys together may hold, on top of what is guaranteed to each. */
  maxBytes: number;
  /** Bytes that one key (an account, a client's address) may hold; a group around it as `group-counts.ts` says. */
  maxBytesOfKey: number;
  /**
   * The first bytes of each key, which are not counted among those of all, so that nobody is refused a small piece of work
   * for what others hold; absent: none. With it the keys have to be bounded.
   */
  guaranteedBytesOfKey?: number;
}

/** Seconds after which a refused client may try again. */
const retryAfterSeconds = 5;

/**
 * Bounds the memory that work holds, in all and for each key. A key that holds nothing takes none. In all that is `maxBytes`
 * and, for each key that holds something, `guaranteedBytesOfKey`.
 */
export class ByteBudget {
  readonly #options: ByteBudgetOptions;
  readonly #heldByKey = new GroupCounts();
  #held = 0;
  /** The part of what is held that exceeds the guarantee. */
  #shared = 0;

  /** @param name names it in its metric */
  constructor(name: string, options: ByteBudgetOptions) {
    this.#options = options;
    heldBytes.of(name, () => this.#held);
  }

  get held(): number {
    return this.#held;
  }

  /** Begins a piece of work of the key, which holds nothing yet. */
  lease(key: FairKey) {
    const keys = keysOf(key);
    let bytes = 0;
    return {
      /** Takes more bytes. @throws UNAVAILABLE where they are not there; nothing is taken then */
      take: (more: number): void => {
        this.#add(keys, more);
        bytes += more;
      },
      /** Gives back all that was taken; called again it does nothing. */
      release: (): void => {
        this.#subtract(keys, bytes);
        bytes = 0;
      },
    };
  }

  #add(keys: FairKeys, bytes: number): void {
    const { maxBytes, maxBytesOfKey } = this.#options;
    const before = this.#heldByKey.of(keys[0]);
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
    const before = this.#heldByKey.of(keys[0]);
    this.#heldByKey.add(keys, -bytes);
    this.#held -= bytes;
    this.#shared -= this.#sharedOf(before) - this.#sharedOf(before - bytes);
  }

  #sharedOf(bytesOfKey: number): number {
    return Math.max(0, bytesOfKey - (this.#options.guaranteedBytesOfKey ?? 0));
  }
}

/** What a piece of work holds of a {@link ByteBudget}. */
export type ByteLease = ReturnType<ByteBudget['lease']>;
