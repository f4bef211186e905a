import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { invalid } from '@taskgate/base';
import { json } from './media-types.ts';

const closeMs = 2_000;

/** Responds on a connection that Node's HTTP no longer serves. */
export function respondAndClose(socket: Duplex, status: number, headers: Record<string, string>, body = ''): void {
  const all = {
    'X-Request-Id': randomUUID(),
    Connection: 'close',
    'Content-Length': `${Buffer.byteLength(body)}`,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  // Lets the client read the response.
  socket.resume();
  const closing = setTimeout(() => socket.destroy(), closeMs);
  socket.once('close', () => clearTimeout(closing));
}

type Refusal = readonly [status: number, path: string, message: string];

const malformed: Refusal = [400, 'request', 'must be well-formed HTTP'];

/** By Node's codes. */
const refusals = (maxHeaderBytes: number): Readonly<Record<string, Refusal>> => ({
  HPE_INVALID_URL: [400, 'path', 'must be percent-encoded'],
  HPE_HEADER_OVERFLOW: [400, 'request', `must have at most ${maxHeaderBytes / 1024} KiB of path, query and headers`],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request', 'must arrive in time'],
});

/**
 * Responds to requests that no listener gets. Node's own responses have no body and no request id.
 * @param isResponding whether other output would mix with a response
 */
export function refuseUnparsed(
  server: Server,
  maxHeaderBytes: number,
  isResponding: (socket: Duplex) => boolean,
): void {
  const byCode = refusals(maxHeaderBytes);
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    // Each further chunk of a refused request causes an error.
    if (socket.writableEnded) return;
    if (!socket.writable || isResponding(socket)) return void socket.destroy();
    const [status, path, message] = byCode[code] ?? malformed;
    const { message: summary, extensions } = invalid(path, message);
    const body = JSON.stringify({ message: summary, ...extensions });
    respondAndClose(socket, status, { 'Content-Type': `${json}; charset=utf-8`, 'Cache-Control': 'no-store' }, body);
  });
}
