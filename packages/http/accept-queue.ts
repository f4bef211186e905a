import { open } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';

/** Linux lists listening sockets first. */
const tables = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];

const maxBytes = 64 * 1024;

/** Port and queue length in hexadecimal; state 0A is listening. */
const listening = /^\s*\d+: [\dA-F]+:([\dA-F]{4}) \S+ 0A \S+:([\dA-F]+)/gm;

/** Returns 0 on systems other than Linux. */
export async function acceptQueueLength(server: Server): Promise<number> {
  const { port } = (server.address() ?? {}) as Partial<AddressInfo>;
  const heads = await Promise.all(tables.map(readHead));
  return heads
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
