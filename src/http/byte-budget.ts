import { unavailable } from '../kernel/errors.ts';
import { labelledGauge } from '../kernel/metrics.ts';

const heldBytes = labelledGauge(
  'taskgate_request_body_bytes',
  'Bytes that bodies of requests hold, by budget.',
  'budget',
);

export interface ByteBudgetOptions {
  /** Bytes that all keys together may hold, beside what is guaranteed to each. */
  maxBytes: number;
  /** Bytes that one key (an account, a client's address) may hold. */
  maxBytesOfKey: number;
  /**
   * The first bytes of each key, which are not counted among those of all, so that nobody is refused a small piece of work
   * for what others hold; absent: none. Whoever sets it has to bound the keys.
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
  readonly #heldByKey = new Map<string, number>();
  #held = 0;
  /** Of what is held, that beyond what is guaranteed. */
  #shared = 0;

  /** @param name names it in its metric */
  constructor(name: string, options: ByteBudgetOptions) {
    this.#options = options;
    heldBytes.of(name, () => this.#held);
  }

  /** Bytes that are held at the moment. */
  get held(): number {
    return this.#held;
  }

  /** Begins a piece of work of the key, which holds nothing yet. */
  lease(key: string) {
    let bytes = 0;
    return {
      /** Takes more bytes. @throws UNAVAILABLE where they are not there; nothing is taken then */
      take: (more: number): void => {
        this.#add(key, more);
        bytes += more;
      },
      /** Gives back all that was taken; called again it does nothing. */
      release: (): void => {
        this.#subtract(key, bytes);
        bytes = 0;
      },
    };
  }

  #add(key: string, bytes: number): void {
    const { maxBytes, maxBytesOfKey } = this.#options;
    const before = this.#heldByKey.get(key) ?? 0;
    const ofKey = before + bytes;
    const shared = this.#sharedOf(ofKey) - this.#sharedOf(before);
    if (ofKey > maxBytesOfKey || (shared > 0 && this.#shared + shared > maxBytes)) {
      throw unavailable('Too much is being sent at once: try again in a moment', retryAfterSeconds);
    }
    this.#heldByKey.set(key, ofKey);
    this.#held += bytes;
    this.#shared += shared;
  }

  #subtract(key: string, bytes: number): void {
    const before = this.#heldByKey.get(key) ?? 0;
    const left = before - bytes;
    if (left > 0) this.#heldByKey.set(key, left);
    else this.#heldByKey.delete(key);
    this.#held -= bytes;
    this.#shared -= this.#sharedOf(before) - this.#sharedOf(left);
  }

  #sharedOf(bytesOfKey: number): number {
    return Math.max(0, bytesOfKey - (this.#options.guaranteedBytesOfKey ?? 0));
  }
}

/** What a piece of work holds of a {@link ByteBudget}. */
export type ByteLease = ReturnType<ByteBudget['lease']>;
