import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { TaskgateError } from '@taskgate/base';
import { Cancellation, type Deadlines, FairQueue, type Turns } from '@taskgate/work';

export const socketLimits = {
  /** A socket with more unsent bytes is paused. */
  bufferedBytes: 1024 * 1024,
  /** Operations and events in progress. */
  executions: 8,
  /** A burst of events reads session data once. */
  sessionTtlMs: 1000,
  /** Time for the peer to answer a close. */
  closeMs: 2000,
};

/** Unbounded, because each socket limits its operations. */
export const socketTurns = () =>
  new FairQueue({
    name: 'socket_operations',
    slots: Infinity,
    slotsPerKey: socketLimits.executions,
    waitingPerKey: Infinity,
    patienceMs: Infinity,
  });

/**
 * Flow control of a WebSocket. While too many bytes or requests wait, nothing is executed for the peer or read from it,
 * so TCP slows it down and memory is bounded.
 */
export class SocketFlow {
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #deadlines: Deadlines;
  readonly #turns: Turns;
  readonly #operationTurns: FairQueue;
  readonly #key = randomUUID();
  #requests = 0;
  #making = 0;
  #drained: (() => void)[] = [];
  readonly #operations = new Map<string, Cancellation>();
  #closing = false;
  #hasProgress = true;

  constructor(
    socket: WebSocket,
    { deadlines, turns }: { deadlines: Deadlines; turns: Turns },
    operationTurns: FairQueue,
  ) {
    this.#socket = socket;
    this.#deadlines = deadlines;
    this.#turns = turns;
    this.#operationTurns = operationTurns;
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        for (const cancellation of this.#operations.values()) cancellation.hangUp();
        this.#update();
        resolve();
      });
    });
  }

  /** Whether the peer has shown a sign of life since the last call. */
  takeProgress(): boolean {
    const had = this.#hasProgress;
    this.#hasProgress = false;
    return had;
  }

  noteProgress(): void {
    this.#hasProgress = true;
  }

  /**
   * In progress until {@link requestEnded}, alive until {@link end}. If the socket closes or the peer completes it, it
   * is cancelled.
   */
  begin(name: string): Cancellation {
    this.#requests += 1;
    this.#update();
    const cancellation = new Cancellation(this.#deadlines);
    this.#operations.set(name, cancellation);
    if (this.#isClosed) cancellation.hangUp();
    return cancellation;
  }

  complete(name: string): void {
    this.#operations.get(name)?.hangUp();
  }

  end(name: string): void {
    this.#operations.get(name)?.lift();
    this.#operations.delete(name);
  }

  /** Ends a request. Its response or events may still follow. */
  requestEnded(): void {
    this.#requests -= 1;
    this.#update();
  }

  /**
   * Executes in turn, after the peer has taken the unsent bytes.
   * @param work called with whether session data may be stale
   * @throws GOING_AWAY if the socket is closed
   */
  execute<Result>(work: (hasWaited: boolean) => Promise<Result>): Promise<Result> {
    const askedAt = performance.now();
    return this.#operationTurns.run(this.#key, async () => {
      await this.drained();
      const hasWaited = performance.now() - askedAt > socketLimits.sessionTtlMs;
      if (this.#isClosed) throw new TaskgateError('GOING_AWAY', 'The socket has been closed');
      return work(hasWaited);
    });
  }

  async drained(): Promise<void> {
    // Results of this turn count as unsent only in the next.
    await this.#turns.next(this.#key);
    while (this.#hasUnsent && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#drained.push(resolve));
      await this.#turns.next(this.#key);
    }
  }

  /** Makes a large message, which counts as unsent until then. */
  async make<Message>(work: () => Promise<Message>): Promise<Message> {
    this.#making += 1;
    try {
      return await work();
    } finally {
      this.#making -= 1;
      this.#update();
    }
  }

  /** Resolves when the message, of some frames, has left, which slows a slow peer's subscriptions. */
  send(...frames: readonly (string | Buffer)[]): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.readyState !== this.#socket.OPEN) return resolve();
      const sent = () => {
        this.#sent();
        resolve();
      };
      for (const [at, frame] of frames.entries()) {
        const fin = at === frames.length - 1;
        this.#socket.send(frame, { binary: false, fin }, fin ? sent : undefined);
      }
      this.#update();
    });
  }

  pong(data: Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.pong(data, false, () => this.#sent());
    this.#update();
  }

  close(code: number, reason: string): void {
    if (this.#closing) return;
    this.#closing = true;
    // A paused socket would not receive the peer's answer.
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

  get #hasUnsent(): boolean {
    return this.#isCongested || this.#making > 0;
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
    if (this.#hasUnsent && !this.#isClosed) return;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}
