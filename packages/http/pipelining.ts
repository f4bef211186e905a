import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that may wait. One chunk of 64 KiB can bring thousands. */
export const maxWaiting = 100;

type PendingRequest = readonly [request: IncomingMessage, response: ServerResponse];

/**
 * Handles a connection's requests one at a time, as their responses are sent in order (RFC 9112, 9.3.2). Otherwise one
 * connection could run any number, and Node emits no `close` on a queued response if the client hangs up. The socket is
 * paused while requests wait, and closed if too many arrive.
 * @param handle not called for requests of a closed connection
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, PipelinedConnection>();
  return (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket) ?? new PipelinedConnection(socket, handle);
    connections.set(socket, connection);
    connection.take([request, response]);
  };
}

class PipelinedConnection {
  readonly #socket: Socket;
  readonly #handle: RequestListener;
  readonly #waiting: PendingRequest[] = [];
  #busy = false;
  /** Node resumes the socket after each response. */
  readonly #pause = () => void this.#socket.pause();

  constructor(socket: Socket, handle: RequestListener) {
    this.#socket = socket;
    this.#handle = handle;
  }

  take(exchange: PendingRequest): void {
    if (!this.#busy) return this.#start(exchange);
    if (this.#waiting.push(exchange) > maxWaiting) return void this.#socket.destroy();
    if (this.#waiting.length > 1) return;
    this.#pause();
    this.#socket.on('resume', this.#pause);
  }

  #start([request, response]: PendingRequest): void {
    this.#busy = true;
    response.once('close', () => this.#next());
    this.#handle(request, response);
  }

  #next(): void {
    this.#busy = false;
    const next = this.#waiting.shift();
    if (!next) return;
    // The response before it ended the connection.
    if (this.#socket.destroyed || !next[1].socket) return this.#abandon(next);
    if (this.#waiting.length === 0) this.#socket.off('resume', this.#pause).resume();
    this.#start(next);
  }

  #abandon(first: PendingRequest): void {
    for (const [, response] of [first, ...this.#waiting.splice(0)]) response.emit('close');
  }
}
