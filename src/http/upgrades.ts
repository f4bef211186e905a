import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { retryAfterOverload } from './overload.ts';

/** What takes over a connection, as of Node's `upgrade` event. @param head bytes that came after the request's headers */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Hands connections over that ask to become WebSockets (RFC 6455, 4.2.1). Other upgrades are ignored, as a server may that
 * does not speak the protocol (RFC 9110, 7.8): some clients offer HTTP/2 with every request. Node hands over the bare connection for any
 * upgrade; so the request is put back before what follows it, and the connection starts over.
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
    // Node still writes to it: starting over would mix its output. Nobody pipelines and upgrades.
    if (requestsOf.get(socket)) return void socket.destroy();
    socket.unshift(Buffer.concat([headersWithoutUpgrade(request), head]));
    server.emit('connection', socket);
  });
}

/** Milliseconds that a client has to close its side of a connection whose upgrade was refused. */
const closeMs = 2_000;

/**
 * Refuses an upgrade, and ends the connection. Node has no hand in it any more: a client that does not close its side
 * would keep it for ever.
 * @param headers of the response beyond those of every refusal; 503 has a `Retry-After`
 */
export function refuseUpgrade(socket: Duplex, status: number, headers: Record<string, string> = {}): void {
  const retry = status === 503 && { 'Retry-After': `${retryAfterOverload()}` };
  const all = { Connection: 'close', 'Content-Length': '0', ...retry, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`);
  // What it still sends is thrown away, so that it gets to read the response.
  socket.resume();
  const closing = setTimeout(() => socket.destroy(), closeMs);
  socket.once('close', () => clearTimeout(closing));
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

/** The options of a connection that are left where the next protocol is not spoken; `keep-alive` where there are none. */
function withoutUpgrade(options: string): string {
  const left = options.split(',').filter((option) => !/^\s*(upgrade|http2-settings)\s*$/i.test(option));
  return left.join(',').trim() || 'keep-alive';
}
