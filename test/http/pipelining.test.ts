import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Drain, oneAtATime } from '@taskgate/http';
import { maxWaiting } from '../../packages/http/pipelining.ts';
import { closeOf, nextConnection } from '../kit/sockets.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(handle: RequestListener): Promise<{ server: Server; client: Socket; peer: Socket }> {
  const server = createServer(oneAtATime(handle));
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = mayReset(connect((server.address() as AddressInfo).port, '127.0.0.1'));
  const [peer] = (await once(server, 'connection')) as [Socket];
  return { server, client, peer };
}

const mayReset = (client: Socket) => client.on('error', () => undefined);

const get = (path: string | number, headers = '') => `GET /${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

async function readUntil(client: Socket, end: string): Promise<string> {
  const parts: string[] = [];
  for await (const part of client.setEncoding('utf8') as AsyncIterable<string>) {
    parts.push(part);
    if (part.endsWith(end)) break;
  }
  return parts.join('');
}

describe('requests of one connection', () => {
  test('are handled one after another, answered in order, and read only when they are handled', async () => {
    const count = 100;
    // More bytes than one read takes.
    const padding = `X-Padding: ${'x'.repeat(4000)}\r\n`;
    let [running, maxRunning, started] = [0, 0, 0];
    const { client, peer } = await serve((request, response) => {
      maxRunning = Math.max(maxRunning, ++running);
      started += 1;
      setImmediate(() => {
        running -= 1;
        response.end(request.url);
      });
    });
    let startedInitially = 0;
    client.once('data', () => (startedInitially = started));
    client.write(Array.from({ length: count }, (_, index) => get(index, padding)).join(''));
    const text = await readUntil(client, `/${count - 1}`);
    expect([...text.matchAll(/^\/(\d+)/gm)].map(([, index]) => Number(index))).toEqual(
      Array.from({ length: count }, (_, index) => index),
    );
    expect(maxRunning).toBe(1);
    expect(startedInitially).toBeLessThan(count);
    expect(peer.isPaused()).toBe(false);
    client.destroy();
  });

  test('end the connection if too many come at once', async () => {
    let started = 0;
    const { client } = await serve(() => void (started += 1));
    client.write(Array.from({ length: maxWaiting + 2 }, (_, index) => get(index)).join(''));
    await closeOf(client);
    expect(started).toBe(1);
  });

  test('keep their bodies while they wait', async () => {
    const { client } = await serve((request, response) => {
      let length = 0;
      request.on('data', (part: Buffer) => (length += part.length)).on('end', () => response.end(`length ${length}.`));
    });
    const body = 'x'.repeat(300_000);
    const post = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    client.write(post + post + post + get('last'));
    const text = await readUntil(client, 'length 0.');
    expect(text.match(/length \d+\./g)).toEqual([...Array<string>(3).fill('length 300000.'), 'length 0.']);
    client.destroy();
  });

  test('are not begun if the client has hung up, and do not delay the stop', async () => {
    let started = 0;
    let write = () => {};
    const { server, client, peer } = await serve((_request, response) => {
      started += 1;
      write = () => void response.write('too late');
    });
    const drain = new Drain(server);
    let [requestCount, finished] = [0, 0];
    server.on('request', (_request, response) => {
      requestCount += 1;
      response.once('close', () => (finished += 1));
    });
    client.write(Array.from({ length: 500 }, (_, index) => get(index)).join(''));
    await once(server, 'request');
    const closed = [closeOf(client), closeOf(peer)];
    client.resetAndDestroy();
    await closed[0];
    write();
    await closed[1];
    await drain.stopListening();
    await drain.endConnections({ idleMs: 0, timeoutMs: 60_000, urgent: new AbortController().signal });
    expect(started).toBe(1);
    // The observer of the responses releases them.
    expect(requestCount).toBeGreaterThan(1);
    expect(finished).toBe(requestCount);
  });

  test('are not begun behind a response that ends the connection', async () => {
    const paths: string[] = [];
    const { client } = await serve((request, response) => {
      paths.push(request.url ?? '');
      response.end('the end');
    });
    client.write(get(1, 'Connection: close\r\n') + get(2));
    client.resume();
    await once(client, 'close');
    expect(paths).toEqual(['/1']);
  });
});

describe('static files', () => {
  let service: Service;
  beforeAll(async () => {
    service = await sharedService();
  });

  async function openFiles(extension: string): Promise<number> {
    const names = await readdir('/proc/self/fd');
    const paths = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
    return paths.filter((path) => path.endsWith(extension)).length;
  }

  test('are closed where a client pipelines requests for them and hangs up', async () => {
    const serverSocket = nextConnection();
    const { hostname, port } = new URL(service.url);
    const client = mayReset(connect(Number(port), hostname));
    const closed = closeOf(await serverSocket);
    client.write(get('docs/assets/swagger-ui-bundle.js').repeat(maxWaiting));
    await once(client, 'data');
    client.resetAndDestroy();
    await closed;
    // Files close in threads of their own, some turns later.
    for (let round = 0; round < 100 && (await openFiles('swagger-ui-bundle.js')) > 0; round += 1) {
      await service.anonymous.get('/healthz');
    }
    expect(await openFiles('swagger-ui-bundle.js')).toBe(0);
  });
});
