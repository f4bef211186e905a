import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const channel = 'net.server.socket';

/** Returns the service's side of the next accepted connection. Call it before the client connects. */
export function nextConnection(): Promise<Socket> {
  return new Promise((resolve) => {
    const take = (message: unknown) => {
      unsubscribe(channel, take);
      resolve((message as { socket: Socket }).socket);
    };
    subscribe(channel, take);
  });
}

export const closeOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => void socket.once('close', () => resolve()));
