import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

interface TrackedConnection {
  /** Requests that have come whole enough to be handled, and have not been answered yet. */
  requests: number;
  /** Bytes that had come when the last of them was answered: what came since begins another one. */
  bytesAnswered: number;
  /** When it was last used, in milliseconds of the process' clock. */
  usedAt: number;
}

export interface DrainOptions {
  /** Milliseconds for which a connection without a request stays open: what its client sends just now is answered. */
  idleMs: number;
  /** Milliseconds after which all connections are cut. */
  timeoutMs: number;
  urgent: AbortSignal;
}

/** Between two polls for connections that have been idle for long enough. */
const pollMs = 25;

/** Milliseconds without a new connection after which a server is taken to have all connections of its clients. */
const settledMs = 50;
/** Milliseconds for which that is waited for. */
const settleTimeoutMs = 500;

/**
 * Watches a server's connections from its start, so that it can be closed without breaking a request off. In the order
 * that proxies need: first every response ends its connection, then no new one is taken, then those end that are idle.
 */
export class Drain {
  readonly #server: Server;
  readonly #connections = new Map<Socket, TrackedConnection>();
  readonly #responses = new Set<ServerResponse>();
  #announced = false;
  #connectedAt = 0;
  /** Settles when the server has stopped to listen and its last connection has ended. */
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

  /** From now on each response says `Connection: close`, so that clients send what follows elsewhere. */
  announce(): void {
    this.#announced = true;
    for (const response of this.#responses) endsConnection(response);
  }

  /**
   * Takes no new connection from when it settles. A connection that is made at that very moment is reset, with what its client
   * has sent: so just before, responses leave connections open again, and clients, having those that they need, make no new
   * ones.
   */
  async stopListening(): Promise<void> {
    this.#announced = false;
    await this.#untilNoneConnects();
    await new Promise<void>((resolve) => {
      afterIdleTurn(() => {
        // Not the HTTP server's own way: it would close idle connections now, also one that a request is just coming on.
        NetServer.prototype.close.call(this.#server);
        resolve();
      });
    });
    this.announce();
  }

  /** Ends the connections, once it does not listen any more; settles when the last one has ended. */
  async endConnections({ idleMs, timeoutMs, urgent }: DrainOptions): Promise<void> {
    const since = performance.now();
    const endIdle = () => {
      const now = performance.now();
      for (const [socket, connection] of this.#connections) {
        const idle = connection.requests === 0 && socket.bytesRead === connection.bytesAnswered;
        if (urgent.aborted || now - since >= timeoutMs || (idle && now - connection.usedAt >= idleMs)) socket.destroy();
      }
    };
    // Right after the event loop has read what has come: a request that waits to be read makes no connection idle.
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
/** Milliseconds for which a turn without work is waited for. */
const idleTurnTimeoutMs = 500;

/**
 * Does the work right after a turn of the event loop in which next to nothing was done; without such a turn, at the
 * deadline. Connections that wait to be taken are lost with the listening socket, and with them what their clients have
 * sent: after such a turn there are none. It is called in that turn itself, not by a promise, as every microsecond
 * counts.
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
