import { getHeapStatistics } from 'node:v8';
import { type TaskgateError, unavailable, ValidationError } from './errors.ts';
import { gauge } from './metrics.ts';
import type { Point } from './point.ts';

const mebibyte = 1024 * 1024;
const heapBytes = getHeapStatistics().heap_size_limit;

/**
 * Bytes that all operations of the process may hold at once beyond {@link smallResponseBytes} each: until it is sent, a
 * response of many small values takes some twelve times its bytes of the heap.
 */
const maxHeldBytes = Math.floor(heapBytes / 16);

/** Bytes of JSON that a response may have, and that may be read for it: 32 MiB, less with a heap of less than 512 MiB. */
export const maxResponseBytes = Math.min(32 * mebibyte, maxHeldBytes);

/** Bytes that an operation may hold, however much the others do, where nothing else is said. */
export const smallResponseBytes = Math.min(8 * mebibyte, Math.floor(heapBytes / 512));

let heldBytes = 0;
let operations = 0;

/** Bytes that operations hold beyond what each may hold for itself: read for them, or about to be sent. */
export const heldByOperations = () => heldBytes;

gauge('taskgate_response_bytes', 'Bytes that large responses hold until they are sent.', heldByOperations);

/** The refusal of a response that would be too large: the client has to ask for less. */
export class ResponseTooLarge extends ValidationError {
  constructor(maxBytes: number) {
    const size = maxBytes < mebibyte ? `${Math.floor(maxBytes / 1024)} KiB` : `${Math.floor(maxBytes / mebibyte)} MiB`;
    super([
      { path: 'query', message: `would be answered with more than ${size}: ask for smaller pages or fewer fields` },
    ]);
  }
}

/** The points of the spaces that an operation reads, when it began: see `Viewer`. */
export interface Seen {
  readonly points: ReadonlyMap<string, Point>;
  readonly relatedRevision: string;
}

/**
 * The bytes of one operation: what it reads from the database, all its statements together, and its response.
 * Both are bounded, as neither bounds the other: rows may be read and not shown, and one value may be shown under many aliases. It only
 * counts; who reads checks `refusal`.
 */
export class ResponseBudget {
  /** What its caller may have seen: what is read for it includes that. Absent: it is read where all is that has been written. */
  readonly seen: Seen | undefined;
  /** Whose operation it is, for the turns of its statements: an account; by default a separate key. */
  readonly owner: string;
  /** Whether its statements wait for as long as it takes: what they answer for has happened. */
  readonly isPatient: boolean;
  /** Aborted when nobody is left to take the response: what is still read for it is cancelled. Absent: it is read to the end. */
  readonly signal: AbortSignal | undefined;
  readonly #maxBytes: number;
  readonly #ownBytes: number;
  #readBytes = 0;
  #heldBytes = 0;
  #refusal: TaskgateError | undefined;
  #hasEnded = false;

  /** @param options.ownBytes that it may hold however much the others do */
  constructor(
    maxBytes = maxResponseBytes,
    signal?: AbortSignal,
    {
      ownBytes = smallResponseBytes,
      owner = '',
      isPatient = false,
      seen,
    }: { ownBytes?: number; owner?: string | undefined; isPatient?: boolean; seen?: Seen | undefined } = {},
  ) {
    this.isPatient = isPatient;
    this.seen = seen;
    this.owner = owner || `operation ${(operations += 1)}`;
    this.#maxBytes = maxBytes;
    this.#ownBytes = ownBytes;
    this.signal = signal;
  }

  /**
   * Why nothing more may be read, and no response given: ResponseTooLarge (VALIDATION_FAILED), or UNAVAILABLE where all
   * operations together hold too much, or the operation has ended.
   */
  get refusal(): TaskgateError | undefined {
    // Made on demand: every operation ends, and an error captures its stack.
    if (this.#hasEnded) this.#refusal ??= unavailable('The operation has ended');
    return this.#refusal;
  }

  requireOpen(): void {
    const { refusal } = this;
    if (refusal) throw refusal;
  }

  /** Whether it holds more than every operation may. */
  get isHolding(): boolean {
    return this.#heldBytes > 0;
  }

  /** Counts bytes that have come from the database. */
  countRead(bytes: number): void {
    this.#readBytes += bytes;
    this.#hold(this.#readBytes);
  }

  countResponseBytes(bytes: number): void {
    this.#hold(bytes);
  }

  /** What was read is part of the response: the larger of both is what the process holds. */
  #hold(bytes: number): void {
    if (this.#refusal || this.#hasEnded) return;
    if (bytes > this.#maxBytes) {
      this.#refusal = new ResponseTooLarge(this.#maxBytes);
      return;
    }
    const more = bytes - this.#ownBytes - this.#heldBytes;
    if (more <= 0) return;
    if (heldBytes + more > maxHeldBytes) {
      this.#refusal = unavailable('Too many large responses in progress: try again in a moment');
      return;
    }
    heldBytes += more;
    this.#heldBytes += more;
  }

  /** To be called when nothing of the response is left in the process. Reads that are still in flight are of no use then. */
  release(): void {
    this.#hasEnded = true;
    heldBytes -= this.#heldBytes;
    this.#heldBytes = 0;
  }
}
