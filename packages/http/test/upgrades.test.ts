import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { onWebSocketUpgrade, refuseUpgrade } from '../upgrades.ts';

describe('an upgrade to another protocol than WebSocket', () => {
  let server: Server;
  let handedOver: string[];

  beforeEach(async () => {
    handedOver = [];
    server = createServer((asked, response) => {
      void text(asked).then((body) => response.end(`${asked.method} ${asked.url} ${body}.`));
    });
    onWebSocketUpgrade(server, ({ url = '' }, socket) => {
      handedOver.push(url);
      socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => void server.close());

  const offer = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQAAP__' };

  const sendUpgrade = (agent: Agent, path: string, headers: Record<string, string>, body = '') =>
    new Promise<string>((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const method = body === '' ? 'GET' : 'POST';
      request({ port, host: '127.0.0.1', agent, method, path, headers }, (response) => resolve(text(response)))
        .once('error', reject)
        .end(body);
    });

  test('is ignored: the requests of the connection are answered, with their bodies', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let connections = 0;
    server.on('connection', () => (connections += 1));
    const body = 'x'.repeat(100_000);
    expect(await sendUpgrade(agent, '/1', offer)).toBe('GET /1 .');
    expect(await sendUpgrade(agent, '/2', offer, body)).toBe(`POST /2 ${body}.`);
    expect(await sendUpgrade(agent, '/3', {})).toBe('GET /3 .');
    expect(handedOver).toEqual([]);
    // The connection starts over after each ignored upgrade.
    expect(connections).toBe(3);
    agent.destroy();
  });

  test('ends a connection whose earlier request is in progress', async () => {
    server.removeAllListeners('request');
    onWebSocketUpgrade(server, () => undefined);
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const upgrade = 'Connection: Upgrade\r\nUpgrade: h2c\r\n';
    socket.write(`GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`);
    await once(socket.resume(), 'close');
  });

  test('does not include one to WebSocket, which is accepted', async () => {
    await sendUpgrade(new Agent(), '/1', { Connection: 'Upgrade', Upgrade: 'WebSocket' });
    expect(handedOver).toEqual(['/1']);
  });
});

test('a refused upgrade ends its connection, even if the client never does', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connected = once(server, 'connection');
  onWebSocketUpgrade(server, (_request, socket) => refuseUpgrade(socket, 503));
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  const [socket] = (await connected) as [Socket];
  const closed = once(socket, 'close');
  const [answer] = (await once(client, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 503 [^]*\r\nRetry-After: [1-9]/);
  await closed;
  client.destroy();
  server.close();
});
