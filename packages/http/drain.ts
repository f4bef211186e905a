import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

interface TrackedConnection {
  /** Number of requests in progress. */
  requests: number;
  /** Bytes received when the last request was answered. Any more belong to another request. */
  bytesAnswered: number;
  usedAt: number;
}

interface DrainOptions {
  /** How long an idle connection stays open, because a request may be on its way. */
  idleMs: number;
  timeoutMs: number;
  urgent: AbortSignal;
}

const pollMs = 25;

/** After this time without a new connection, clients have all they need. */
const settledMs = 50;
const settleTimeoutMs = 500;

/**
 * Breaks no request: first every response ends its connection, then no new connection is accepted, then idle
 * connections end.
 */
export class Drain {
  readonly #server: Server;
  readonly #connections = new Map<Socket, TrackedConnection>();
  readonly #responses = new Set<ServerResponse>();
  #announced = false;
  #connectedAt = 0;
  readonly #closed: Promise<void>;

  constructor(server: Server) {
    this.#server = server;
    this.#closed = new Promise((resolve) => server.once('close', resolve));
    server.on('connection', (socket: Socket) => {
      this.#connectedAt = performance.now();
      this.#connections.set(socket, { requests: 0, bytesAnswered: 0, usedAt: this.#connectedAt });
      socket.once('close', () => this.#connections.delete(socket));
    });
    server.on('request', ({ socket }, response) => this.#watch(socket, response));
  }

  /** From now on responses have `Connection: close`. */
  announce(): void {
    this.#announced = true;
    for (const response of this.#responses) endsConnection(response);
  }

  /**
   * Stopping resets a connection that arrives at that moment. Shortly before, responses therefore leave connections
   * open again, and clients open no new ones.
   */
  async stopListening(): Promise<void> {
    this.#announced = false;
    await this.#untilNoneConnects();
    await new Promise<void>((resolve) => {
      afterIdleTurn(() => {
        // The server's own `close` would end a connection whose request is just arriving.
        NetServer.prototype.close.call(this.#server);
        resolve();
      });
    });
    this.announce();
  }

  async endConnections({ idleMs, timeoutMs, urgent }: DrainOptions): Promise<void> {
    const since = performance.now();
    const endIdle = () => {
      const now = performance.now();
      for (const [socket, connection] of this.#connections) {
        const idle = connection.requests === 0 && socket.bytesRead === connection.bytesAnswered;
        if (urgent.aborted || now - since >= timeoutMs || (idle && now - connection.usedAt >= idleMs)) socket.destroy();
      }
    };
    // After the event loop's reads: a connection with an unread request is not idle.
    const poll = setInterval(() => setImmediate(endIdle), pollMs);
    await this.#closed;
    clearInterval(poll);
  }

  async #untilNoneConnects(): Promise<void> {
    const deadline = performance.now() + settleTimeoutMs;
    for (let before = NaN; this.#connectedAt !== before && performance.now() < deadline;) {
      before = this.#connectedAt;
      await delay(settledMs);
    }
  }

  #watch(socket: Socket, response: ServerResponse) {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.requests += 1;
    this.#responses.add(response);
    if (this.#announced) endsConnection(response);
    response.once('close', () => {
      this.#responses.delete(response);
      connection.requests -= 1;
      connection.bytesAnswered = socket.bytesRead;
      connection.usedAt = performance.now();
    });
  }
}

function endsConnection(response: ServerResponse) {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

const idleTurnMs = 0.05;
const idleTurnTimeoutMs = 500;

/**
 * Closing the socket loses connections that wait for acceptance; after a nearly idle turn of the event loop there are
 * none. Every microsecond counts, so there is no promise.
 */
function afterIdleTurn(work: () => void): void {
  const deadline = performance.now() + idleTurnTimeoutMs;
  const poll = (since: number) =>
    setImmediate(() => {
      const now = performance.now();
      if (now - since < idleTurnMs || now > deadline) work();
      else poll(now);
    });
  poll(-Infinity);
}
