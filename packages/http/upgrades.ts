import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { retryAfterOverload } from '@taskgate/work';
import { respondAndClose } from './raw-response.ts';

/** @param head bytes after the headers */
type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Ignores other upgrades than WebSocket (RFC 9110, 7.8): some clients offer HTTP/2 with every request. Node detaches
 * the connection for any upgrade, so the request is put back.
 */
export function onWebSocketUpgrade(server: Server, listener: UpgradeListener): void {
  const requestsOf = new WeakMap<Duplex, number>();
  const count = (socket: Duplex, more: number) => requestsOf.set(socket, (requestsOf.get(socket) ?? 0) + more);
  server.on('request', ({ socket }, response) => {
    count(socket, 1);
    response.once('close', () => count(socket, -1));
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (request.headers.upgrade?.toLowerCase() === 'websocket') return listener(request, socket, head);
    // A response in progress would mix with new output.
    if (requestsOf.get(socket)) return void socket.destroy();
    socket.unshift(Buffer.concat([headersWithoutUpgrade(request), head]));
    server.emit('connection', socket);
  });
}

/** @param headers in addition to the common ones */
export function refuseUpgrade(socket: Duplex, status: number, headers: Record<string, string> = {}): void {
  const retry = status === 503 && { 'Retry-After': `${retryAfterOverload()}` };
  respondAndClose(socket, status, { ...retry, ...headers });
}

function headersWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (/^connection$/i.test(name)) lines.push(`${name}: ${withoutUpgrade(value)}`);
    else if (!/^(upgrade|http2-settings)$/i.test(name)) lines.push(`${name}: ${value}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

function withoutUpgrade(options: string): string {
  const left = options.split(',').filter((option) => !/^\s*(upgrade|http2-settings)\s*$/i.test(option));
  return left.join(',').trim() || 'keep-alive';
}
