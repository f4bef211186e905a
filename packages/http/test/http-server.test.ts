import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import { createHttpServer, type HttpLimits, makeExpressMessages } from '../http-server.ts';
import { until } from '../../../test/kit/until.ts';

let server: Server;
let sockets: Socket[] = [];

async function listen(listener: RequestListener, limits: Partial<HttpLimits> = {}): Promise<void> {
  server = createHttpServer({ checkMs: 20, discardMs: 60_000, maxDiscardedBytes: 100_000, ...limits });
  server.on('request', listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  server.closeAllConnections();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
});

/** Sends bytes and gathers the response. `closed` resolves once the other side has closed. */
function open(head: string, { allowHalfOpen = false } = {}) {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen });
  sockets.push(socket);
  let text = '';
  let failure: Error | undefined;
  socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', (error) => (failure = error));
  socket.write(head);
  return {
    socket,
    text: () => text,
    failure: () => failure,
    closed: new Promise<void>((resolve) => socket.once('close', () => resolve())),
    async untilReceived(pattern: RegExp) {
      await until(`an answer like ${pattern}`, () => pattern.test(text));
    },
  };
}

const refuse: RequestListener = (_request, response) => {
  response.writeHead(400, { 'Content-Length': 2 }).end('no');
};
const head = (lines: string) => `POST / HTTP/1.1\r\nHost: x\r\n${lines}\r\n`;
const chunk = `${(10_000).toString(16)}\r\n${'x'.repeat(10_000)}\r\n`;

describe('a connection', () => {
  test.each(['', 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow:'])(
    'that never sends its headers is closed: %j',
    async (bytes) => {
      await listen(refuse, { headersMs: 100 });
      const { closed, text } = open(bytes);
      await closed;
      expect(text()).not.toContain('400');
    },
  );

  test('is not closed because the event loop was busy', async () => {
    await listen(refuse, { headersMs: 200, checkMs: 10 });
    server.once('connection', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400));
    await open('GET / HTTP/1.1\r\nHost: x\r\n\r\n').untilReceived(/^HTTP\/1.1 400 [^]*no$/);
  });

  test('whose request never ends is closed, even if nobody reads it', async () => {
    await listen(() => undefined, { headersMs: 150, requestMs: 150 });
    await open(head('Content-Length: 10\r\n')).closed;
  });

  test('beyond the maximum number is closed', async () => {
    await listen(refuse, { maxConnections: 1 });
    const pendingBody = open(head('Content-Length: 10\r\n'));
    await pendingBody.untilReceived(/no$/);
    await open('GET / HTTP/1.1\r\nHost: x\r\n\r\n').closed;
    pendingBody.socket.write('0123456789GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await pendingBody.untilReceived(/no[^]*no$/);
  });

  test('at the maximum number replaces one without requests', async () => {
    await listen(refuse, { maxConnections: 1 });
    const idle = open('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await idle.untilReceived(/no$/);
    await open('').closed;
    await idle.closed;
    await open('GET / HTTP/1.1\r\nHost: x\r\n\r\n').untilReceived(/no$/);
  });
});

describe('the connections of a client', () => {
  const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

  test('are bounded: further ones are closed until others end', async () => {
    await listen(refuse, { maxConnectionsOfClient: 2 });
    const [first, second] = [open(get), open(get)];
    await Promise.all([first.untilReceived(/no$/), second.untilReceived(/no$/)]);
    await open(get).closed;
    const other = connect({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      localAddress: '127.0.0.2',
    });
    sockets.push(other);
    other.write(get);
    await once(other, 'data');
    first.socket.destroy();
    await until('another one is served', async () => {
      const next = open('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      await next.closed;
      return next.text().endsWith('no');
    });
  });

  test('are not bounded for a proxy', async () => {
    await listen(refuse, { maxConnectionsOfClient: 1, isProxy: (address) => address === '127.0.0.1' });
    const connections = [open(get), open(get), open(get)];
    await Promise.all(connections.map((each) => each.untilReceived(/no$/)));
  });
});

describe('a response before the body', () => {
  test('arrives at once and complete even if the upload never ends, which is cut off', async () => {
    await listen(refuse);
    const upload = open(head('Transfer-Encoding: chunked\r\n'));
    upload.socket.write(chunk);
    await upload.untilReceived(/^HTTP\/1.1 400 [^]*\r\n\r\nno$/);
    const writeMore = () => {
      while (!upload.socket.destroyed && upload.socket.write(chunk));
    };
    upload.socket.on('drain', writeMore);
    writeMore();
    await upload.closed;
  });

  test('ends the connection after a while if the upload stalls', async () => {
    await listen(refuse, { discardMs: 200 });
    const upload = open(head('Content-Length: 50\r\n'));
    await upload.untilReceived(/\r\n\r\nno$/);
    await upload.closed;
  });

  test('reaches a client that sends everything before it reads, and the connection stays open', async () => {
    await listen(refuse);
    const upload = open(head('Content-Length: 90000\r\n'));
    upload.socket.pause();
    await new Promise((resolve) => upload.socket.write('x'.repeat(90_000), resolve));
    upload.socket.resume();
    await upload.untilReceived(/no$/);
    upload.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await upload.untilReceived(/no[^]*no$/);
  });

  test('that ends the connection is not cut off by the rest of the upload', async () => {
    let end: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    await listen((request, response) => {
      request.once('end', () => end());
      response.writeHead(400, { Connection: 'close', 'Content-Length': 2 }).end('no');
    });
    const upload = open(head('Content-Length: 90000\r\n'), { allowHalfOpen: true });
    await once(upload.socket, 'end');
    upload.socket.end('x'.repeat(90_000));
    await ended;
    await upload.closed;
    expect(upload.failure()).toBeUndefined();
    expect(upload.text()).toMatch(/^HTTP\/1.1 400 [^]*\r\n\r\nno$/);
  });

  test('is not mixed with the refusal of a malformed rest', async () => {
    await listen((_request, response) => void response.write('a'));
    const upload = open(head('Transfer-Encoding: chunked\r\n'));
    await upload.untilReceived(/1\r\na\r\n$/);
    upload.socket.write('no length\r\n');
    await upload.closed;
    expect(upload.text()).toMatch(/1\r\na\r\n$/);
  });

  test('can be streamed or empty', async () => {
    await listen((request, response) => {
      if (request.method === 'PUT') return void response.writeHead(304).end();
      response.write('a');
      response.end('b');
    });
    const streamed = open(head('Content-Length: 5\r\n'));
    await streamed.untilReceived(/1\r\na\r\n1\r\nb\r\n0\r\n\r\n$/);
    const empty = open('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n');
    await empty.untilReceived(/^HTTP\/1.1 304 /);
  });
});

describe('a response', () => {
  test('that the client does not read is cut off', async () => {
    const body = Buffer.alloc(64 * 1024 * 1024);
    await listen((_request, response) => void response.end(body), { slowMs: 100, minBytesPerSecond: 1 });
    const client = open('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    client.socket.pause();
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    await once(response, 'close');
    client.socket.resume();
    await client.closed;
    expect(client.text().length).toBeLessThan(body.length);
  });

  test('that the client reads too slowly is cut off', async () => {
    const body = Buffer.alloc(64 * 1024 * 1024);
    const bodyPace = { checkMs: 20, slowMs: 100, minBytesPerSecond: 1e12 };
    await listen((_request, response) => void response.end(body), bodyPace);
    const client = open('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    client.socket.on('data', () => {
      client.socket.pause();
      setTimeout(() => client.socket.resume(), 5);
    });
    await client.closed;
    expect(client.text().length).toBeLessThan(body.length);
  });
});

test('a request is of its Express application from the start', async () => {
  const app = express().set('trust proxy', true);
  const seen: unknown[] = [];
  app.use((request, response) => {
    seen.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
    response.send(request.ip);
  });
  const listener: RequestListener = (request, response) => {
    seen.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
    app(request, response);
  };
  await listen(listener);
  makeExpressMessages(server, app);
  await open('GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n').untilReceived(/192\.0\.2\.1$/);
  const prototypes = [app.request, app.response, app.request, app.response];
  expect(seen.map((each, index) => each === prototypes[index])).toEqual([true, true, true, true]);
});
