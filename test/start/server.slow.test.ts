import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openServer } from '../../src/app.ts';
import { loadConfig } from '../../src/config/config.ts';

let server: Server;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

async function isServed(): Promise<boolean> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const answered = once(socket, 'data').then(() => true);
  const closed = new Promise<false>((resolve) => socket.once('close', () => resolve(false)));
  return Promise.race([answered, closed]);
}

describe('a second connection of an address with a limit of one', () => {
  test.each<[string, Record<string, string>, boolean]>([
    ['is closed', {}, false],
    ['is closed, whatever other proxies there are', { TRUST_PROXY: '10.0.0.0/8' }, false],
    ['is served where it is a proxy of TRUST_PROXY', { TRUST_PROXY: 'loopback' }, true],
    ['is served where each is a proxy', { TRUST_PROXY: '1' }, true],
    ['is served with RATE_LIMITS=off', { RATE_LIMITS: 'off' }, true],
  ])('%s', async (_label, variables, expected) => {
    server = openServer(loadConfig({ RATE_LIMIT_CONNECTIONS: '1', ...variables }));
    server.on('request', (_request, response) => response.end('yes')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    expect(await isServed()).toBe(true);
    expect(await isServed()).toBe(expected);
  });
});
