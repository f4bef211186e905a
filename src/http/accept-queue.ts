import { open } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';

/** Where Linux lists sockets, those that listen first. */
const tables = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];

/** Bytes of a table that are read: hundreds of sockets that listen. */
const maxBytes = 64 * 1024;

/** Of a socket that listens: its port, state 0A, nothing to send, and the connections that wait, all in hexadecimal. */
const listening = /^\s*\d+: [\dA-F]+:([\dA-F]{4}) \S+ 0A \S+:([\dA-F]+)/gm;

/** Connections that the system has taken for a server, and the process has not; 0 where the system does not tell, as but Linux. */
export async function acceptQueueLength(server: Server): Promise<number> {
  const { port } = (server.address() ?? {}) as Partial<AddressInfo>;
  const found = await Promise.all(tables.map(readHead));
  return found
    .flatMap((table) => [...table.matchAll(listening)])
    .filter(([, of = '']) => parseInt(of, 16) === port)
    .reduce((sum, [, , waiting = '']) => sum + parseInt(waiting, 16), 0);
}

async function readHead(file: string): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
