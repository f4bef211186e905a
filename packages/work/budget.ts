import { randomUUID } from 'node:crypto';
import { getHeapStatistics } from 'node:v8';
import { gauge, type TaskgateError, unavailable, ValidationError } from '@taskgate/base';

const mebibyte = 1024 * 1024;
const heapBytes = getHeapStatistics().heap_size_limit;

/**
 * Bytes that all operations together may hold, beyond {@link smallResponseBytes} of each. An unsent response of small
 * values takes twelve times its size.
 */
const maxHeldBytes = Math.floor(heapBytes / 16);

/** Maximum bytes of a response and its reads: 32 MiB, less if the heap is below 512 MiB. */
export const maxResponseBytes = Math.min(32 * mebibyte, maxHeldBytes);

/** Bytes that an operation may hold however much the others hold. */
export const smallResponseBytes = Math.min(8 * mebibyte, Math.floor(heapBytes / 512));

/** Bytes that the operations of an owner may hold together: large ones, and responses that nobody reads. */
export const maxBytesOfOwner = Math.max(maxResponseBytes, Math.floor(maxHeldBytes / 4));

/** V8 has one heap, which all apps of the process share. */
const heap = { heldBytes: 0, ofOwners: new Map<string, number>() };

const bytesOfOwner = (owner: string) => heap.ofOwners.get(owner) ?? 0;

function countOfOwner(owner: string, change: number): void {
  const bytes = bytesOfOwner(owner) + change;
  if (bytes > 0) heap.ofOwners.set(owner, bytes);
  else heap.ofOwners.delete(owner);
}

export const heldByOperations = () => heap.heldBytes;

gauge('taskgate_response_bytes', 'Bytes that large responses hold until they are sent.', heldByOperations);

const tooMany = (reason: string) => unavailable(`${reason}: try again in a moment`);
const ofOwner = 'Too many responses to this account are unread';

export class ResponseTooLarge extends ValidationError {
  constructor(maxBytes: number) {
    const size = maxBytes < mebibyte ? `${Math.floor(maxBytes / 1024)} KiB` : `${Math.floor(maxBytes / mebibyte)} MiB`;
    super([{ path: 'query', message: `needs a response of more than ${size}: ask for smaller pages or fewer fields` }]);
  }
}

/**
 * Counts the bytes that an operation reads and the bytes that it sends. Rows may be read and not sent, and one value may
 * be sent under many aliases. It only counts: readers check `refusal`.
 */
export class ResponseBudget<State = never> {
  /** State that a read replica must have. If absent, reads use the primary. */
  readonly requiredState: State | undefined;
  /** Account that the statements are queued for. */
  readonly owner: string;
  /** Whether statements wait without limit: they read the response to a committed change. */
  readonly isPatient: boolean;
  /** Cancels the reads when nobody takes the response. */
  readonly signal: AbortSignal | undefined;
  readonly #maxBytes: number;
  readonly #ownBytes: number;
  #readBytes = 0;
  #heldBytes = 0;
  #unsentBytes = 0;
  #refusal: TaskgateError | undefined;
  #hasEnded = false;

  constructor(
    maxBytes = maxResponseBytes,
    signal?: AbortSignal,
    {
      ownBytes = smallResponseBytes,
      owner = '',
      isPatient = false,
      requiredState,
    }: {
      ownBytes?: number;
      owner?: string | undefined;
      isPatient?: boolean;
      requiredState?: State | undefined;
    } = {},
  ) {
    this.isPatient = isPatient;
    this.requiredState = requiredState;
    this.owner = owner || randomUUID();
    this.#maxBytes = maxBytes;
    this.#ownBytes = ownBytes;
    this.signal = signal;
  }

  /** ResponseTooLarge (VALIDATION_FAILED), or UNAVAILABLE if all operations hold too much or this one has ended. */
  get refusal(): TaskgateError | undefined {
    // On demand: every operation ends, and an error captures its stack.
    if (this.#hasEnded) this.#refusal ??= unavailable('The operation has ended');
    return this.#refusal;
  }

  requireOpen(): void {
    const { refusal } = this;
    if (refusal) throw refusal;
  }

  get isHolding(): boolean {
    return this.#heldBytes > 0;
  }

  countRead(bytes: number): void {
    this.#readBytes += bytes;
    this.#hold(this.#readBytes);
  }

  countResponseBytes(bytes: number): void {
    this.#hold(bytes);
  }

  /** Holds all bytes of a response until {@link release}, however few: its reader may be slow. */
  keepUnsent(bytes: number): void {
    this.#unsentBytes = Math.max(0, bytes - this.#heldBytes);
    countOfOwner(this.owner, this.#unsentBytes);
  }

  /** @throws UNAVAILABLE if the owner holds too much, before the operation begins */
  requireRoom(): void {
    if (bytesOfOwner(this.owner) > maxBytesOfOwner) throw tooMany(ofOwner);
  }

  /** Rows become the response, so the larger of the two counts. */
  #hold(bytes: number): void {
    if (this.#refusal || this.#hasEnded) return;
    if (bytes > this.#maxBytes) {
      this.#refusal = new ResponseTooLarge(this.#maxBytes);
      return;
    }
    const more = bytes - this.#ownBytes - this.#heldBytes;
    if (more <= 0) return;
    if (heap.heldBytes + more > maxHeldBytes) {
      this.#refusal = tooMany('Too many large responses in progress');
      return;
    }
    if (bytesOfOwner(this.owner) + more > maxBytesOfOwner) {
      this.#refusal = tooMany(ofOwner);
      return;
    }
    countOfOwner(this.owner, more);
    heap.heldBytes += more;
    this.#heldBytes += more;
  }

  /** Call it when the process no longer holds the response. Later reads are refused. */
  release(): void {
    this.#hasEnded = true;
    heap.heldBytes -= this.#heldBytes;
    countOfOwner(this.owner, -this.#heldBytes - this.#unsentBytes);
    this.#heldBytes = this.#unsentBytes = 0;
  }
}
