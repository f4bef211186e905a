import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { Cancellation, type Deadlines } from '../kernel/cancellation.ts';
import { TaskgateError } from '../kernel/errors.ts';
import { FairQueue } from '../kernel/fair-queue.ts';
import { nextTurn } from '../kernel/turns.ts';

/** What the service holds for one socket. */
export const socketLimits = {
  /** Bytes that wait to be sent, from which on nothing is read or executed for the socket; 1 MiB. */
  bufferedBytes: 1024 * 1024,
  /** Operations and events of subscriptions that are executed at once. */
  executions: 8,
  /** Milliseconds for which what was read of the session holds: it is not read again for each of a thousand events of one moment. */
  sessionTtlMs: 1000,
  /** Milliseconds for which the peer may take to answer a close. */
  closeMs: 2000,
};

/** The turns of what sockets ask for. What waits is bounded by the operations that a socket may have, and ends with the socket. */
export const socketTurns = () =>
  new FairQueue({
    name: 'socket_operations',
    slots: Infinity,
    slotsPerKey: socketLimits.executions,
    waitingPerKey: Infinity,
    patienceMs: Infinity,
  });

/**
 * Flow control of a WebSocket. A peer that does not read, or requests more than it reads, must not fill the memory of
 * the process: while too many bytes wait for it, or too many of its requests, nothing is executed for it, and nothing
 * is read from it, so that TCP has it wait.
 */
export class SocketFlow {
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #deadlines: Deadlines;
  readonly #turns: FairQueue;
  readonly #key = randomUUID();
  #requests = 0;
  #drained: (() => void)[] = [];
  /** Ends the operations of the socket early, by their names. */
  readonly #operations = new Map<string, Cancellation>();
  #closing = false;
  #hasProgress = true;

  /** @param turns of all sockets: {@link socketTurns} */
  constructor(socket: WebSocket, deadlines: Deadlines, turns: FairQueue) {
    this.#socket = socket;
    this.#deadlines = deadlines;
    this.#turns = turns;
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        for (const cancellation of this.#operations.values()) cancellation.hangUp();
        this.#update();
        resolve();
      });
    });
  }

  /** Whether the peer has taken bytes, or shown otherwise that it lives, since this was last asked. */
  takeProgress(): boolean {
    const had = this.#hasProgress;
    this.#hasProgress = false;
    return had;
  }

  noteProgress(): void {
    this.#hasProgress = true;
  }

  /**
   * Begins an operation. It is in work until {@link requestEnded}, and lives until {@link end}; its cancellation comes earlier where the
   * socket closes or the peer completes it.
   */
  begin(name: string): Cancellation {
    this.#requests += 1;
    this.#update();
    const cancellation = new Cancellation(this.#deadlines);
    this.#operations.set(name, cancellation);
    if (this.#isClosed) cancellation.hangUp();
    return cancellation;
  }

  /** The peer wants no answer any more. */
  complete(name: string): void {
    this.#operations.get(name)?.hangUp();
  }

  end(name: string): void {
    this.#operations.get(name)?.lift();
    this.#operations.delete(name);
  }

  /** A request of the peer's has been handled; what is still sent for it is the response, or events. */
  requestEnded(): void {
    this.#requests -= 1;
    this.#update();
  }

  /**
   * Executes for the socket when it is its turn and the peer has taken what waits for it.
   * @param work is given whether it has waited for longer than what was read of the session holds
   * @throws GOING_AWAY where the socket is closed by then
   */
  execute<Result>(work: (hasWaited: boolean) => Promise<Result>): Promise<Result> {
    const askedAt = performance.now();
    return this.#turns.run(this.#key, async () => {
      await this.drained();
      const hasWaited = performance.now() - askedAt > socketLimits.sessionTtlMs;
      if (this.#isClosed) throw new TaskgateError('GOING_AWAY', 'The socket has been closed');
      return work(hasWaited);
    });
  }

  /** Settles when the peer has taken what waits for it, or the socket is closed. */
  async drained(): Promise<void> {
    // In a later turn, what was executed before has been sent: only then is it known how much waits.
    await nextTurn(this.#key);
    while (this.#isCongested && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#drained.push(resolve));
      await nextTurn(this.#key);
    }
  }

  /**
   * Settles when the message has left, so that a peer that takes nothing holds its subscriptions up. Where it
   * cannot be sent, the socket is closing, and that ends them.
   */
  send(data: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.readyState !== this.#socket.OPEN) return resolve();
      this.#socket.send(data, () => {
        this.#sent();
        resolve();
      });
      this.#update();
    });
  }

  pong(data: Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.pong(data, false, () => this.#sent());
    this.#update();
  }

  /** Closes the socket; a peer that does not answer is cut off. */
  close(code: number, reason: string): void {
    if (this.#closing) return;
    this.#closing = true;
    // If reading is held, the peer's response would not be seen.
    this.#requests = 0;
    this.#socket.resume();
    this.#socket.close(code, reason);
    const dropping = setTimeout(() => this.#socket.terminate(), socketLimits.closeMs).unref();
    void this.closed.then(() => clearTimeout(dropping));
  }

  get #isClosed(): boolean {
    return this.#socket.readyState === this.#socket.CLOSED;
  }

  get #isCongested(): boolean {
    return this.#socket.bufferedAmount > socketLimits.bufferedBytes;
  }

  #sent(): void {
    this.#hasProgress = true;
    this.#update();
  }

  #update(): void {
    const mustWait = this.#isCongested || this.#requests > socketLimits.executions;
    const isOpen = this.#socket.readyState === this.#socket.OPEN;
    if (isOpen && mustWait !== this.#socket.isPaused) {
      if (mustWait) this.#socket.pause();
      else this.#socket.resume();
    }
    if (this.#isCongested && !this.#isClosed) return;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}
