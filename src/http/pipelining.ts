import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait behind the one in flight. A chunk of 64 KiB, read at once, may bring thousands. */
export const maxWaiting = 100;

type PendingRequest = readonly [request: IncomingMessage, response: ServerResponse];

/**
 * Handles the requests of a connection one after another, as their responses have to be sent in that order anyway (RFC
 * 9112, 9.3.2). Otherwise one connection could pipeline any number of requests and have them all handled at once, and
 * what is handled behind a connection's present response never learns that the client has hung up: Node gives such a
 * response no socket, hence no `close`, and files that it has opened would stay open for good. While requests wait,
 * nothing more is read from the connection; where more came at once than may wait, it is cut off.
 * @param handle is given each request when it is its turn; never where its response could not be sent any more
 */
export function inOrder(handle: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, PipelinedConnection>();
  return (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket) ?? new PipelinedConnection(socket, handle);
    connections.set(socket, connection);
    connection.take([request, response]);
  };
}

/** A connection: its request in flight, and those that came after it. */
class PipelinedConnection {
  readonly #socket: Socket;
  readonly #handle: RequestListener;
  readonly #waiting: PendingRequest[] = [];
  #busy = false;
  /** Node reads on when a response has been sent; here only the last one's turn shall have it do so. */
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
    // A response without a socket follows one that ended the connection.
    if (this.#socket.destroyed || !next[1].socket) return this.#abandon(next);
    if (this.#waiting.length === 0) this.#socket.off('resume', this.#pause).resume();
    this.#start(next);
  }

  /** Tells those who watch the responses that they are over. */
  #abandon(first: PendingRequest): void {
    for (const [, response] of [first, ...this.#waiting.splice(0)]) response.emit('close');
  }
}
