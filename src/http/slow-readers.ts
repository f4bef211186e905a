import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How slowly a client may read. */
interface Pace {
  /** Bytes a second that it has to take, on average over `slowMs`, while there is something to send. */
  minBytesPerSecond: number;
  /** Milliseconds. */
  slowMs: number;
}

/** Since when something has waited to be sent, and what had been sent by then. */
interface Measurement {
  since: number;
  sentBytes: number;
}

/** Bytes a second of responses that hold more than memory. */
const requiredPaces = new WeakMap<ServerResponse, number>();

/** Requires the client of a response to read at least this many bytes a second. */
export const requirePace = (response: ServerResponse, minBytesPerSecond: number): unknown =>
  requiredPaces.set(response, minBytesPerSecond);

/** Cuts the connections of clients that read too slowly: what waits for one, open files among it, would wait for as long as it likes. */
export class SlowReaders {
  readonly #pace: Pace;
  readonly #measured = new Map<ServerResponse, Measurement | undefined>();

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Watches a response whose head has been written, until it is over. */
  watch(response: ServerResponse): void {
    this.#measured.set(response, undefined);
    response.once('close', () => this.#measured.delete(response));
  }

  /** To be called several times in `slowMs`. */
  cut(): void {
    const now = performance.now();
    for (const [response, measured] of this.#measured) {
      const { socket } = response;
      if (!socket) continue;
      if (socket.writableLength === 0) this.#measured.set(response, undefined);
      else if (!measured) this.#measured.set(response, { since: now, sentBytes: sentBytesOf(socket) });
      else if (now - measured.since >= this.#pace.slowMs) this.#judge(response, socket, measured, now);
    }
  }

  #judge(response: ServerResponse, socket: Socket, { since, sentBytes }: Measurement, now: number): void {
    const sent = sentBytesOf(socket);
    const minBytesPerSecond = requiredPaces.get(response) ?? this.#pace.minBytesPerSecond;
    if (sent - sentBytes < (minBytesPerSecond * (now - since)) / 1000) socket.destroy();
    else this.#measured.set(response, { since: now, sentBytes: sent });
  }
}

/** What Node's own timeout of a socket looks at, as `bytesWritten` of the socket has what still waits in libuv as well. */
interface Handle {
  bytesWritten: number;
  writeQueueSize: number;
}

/** Bytes that the client, or the system for it, has taken. */
function sentBytesOf(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: Handle | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
}
