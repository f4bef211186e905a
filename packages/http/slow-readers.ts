import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

interface Pace {
  /** Average over `slowMs`, while data waits to be sent. */
  minBytesPerSecond: number;
  slowMs: number;
}

interface Measurement {
  since: number;
  sentBytes: number;
}

/** Paces of responses that hold more than memory. */
const requiredPaces = new WeakMap<ServerResponse, number>();

export const requirePace = (response: ServerResponse, minBytesPerSecond: number): unknown =>
  requiredPaces.set(response, minBytesPerSecond);

/** Ends responses that nobody reads. Otherwise they and their open files would wait forever. */
export class SlowReaders {
  readonly #pace: Pace;
  readonly #measured = new Map<ServerResponse, Measurement | undefined>();

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  watch(response: ServerResponse): void {
    this.#measured.set(response, undefined);
    response.once('close', () => this.#measured.delete(response));
  }

  /** Whether a response has begun and not ended. */
  isResponding(socket: Duplex): boolean {
    return [...this.#measured.keys()].some((response) => response.socket === socket);
  }

  /** Must be called several times in `slowMs`. */
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

/** By Node's handle, as its socket timeout does: `socket.bytesWritten` includes data that waits in libuv. */
function sentBytesOf(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { bytesWritten: number; writeQueueSize: number } | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
}
