import { unavailable } from './errors.ts';
import { labelledGauge } from './metrics.ts';

const heldBytes = labelledGauge(
  'taskgate_request_body_bytes',
  'Bytes that bodies of requests hold, by budget.',
  'budget',
);

export interface ByteBudgetOptions {
  /** Bytes that all keys together may hold. */
  maxBytes: number;
  /** Bytes that one key (an account, a client's address) may hold. */
  maxBytesOfKey: number;
}

/** What a piece of work holds of a {@link ByteBudget}. */
export interface ByteLease {
  /** Takes more bytes. @throws UNAVAILABLE where they are not there; nothing is taken then */
  take(bytes: number): void;
  /** Gives back all that was taken; called again it does nothing. */
  release(): void;
}

/** Seconds after which a refused client may try again. */
const retryAfterSeconds = 5;

/** Bounds the memory that work holds, in all and for each key. A key that holds nothing takes none. */
export class ByteBudget {
  readonly #options: ByteBudgetOptions;
  readonly #heldByKey = new Map<string, number>();
  #held = 0;

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
  lease(key: string): ByteLease {
    let bytes = 0;
    return {
      take: (more) => {
        this.#add(key, more);
        bytes += more;
      },
      release: () => {
        this.#subtract(key, bytes);
        bytes = 0;
      },
    };
  }

  #add(key: string, bytes: number): void {
    const { maxBytes, maxBytesOfKey } = this.#options;
    const ofKey = (this.#heldByKey.get(key) ?? 0) + bytes;
    if (ofKey > maxBytesOfKey || this.#held + bytes > maxBytes) {
      throw unavailable('Too much is being sent at once: try again in a moment', retryAfterSeconds);
    }
    this.#heldByKey.set(key, ofKey);
    this.#held += bytes;
  }

  #subtract(key: string, bytes: number): void {
    const left = (this.#heldByKey.get(key) ?? 0) - bytes;
    if (left > 0) this.#heldByKey.set(key, left);
    else this.#heldByKey.delete(key);
    this.#held -= bytes;
  }
}
