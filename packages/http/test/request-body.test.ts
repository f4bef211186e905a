import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import { TaskgateError, ValidationError } from '@taskgate/base';
import { describeProblems } from '../../base/errors.ts';
import { createHttpServer } from '../http-server.ts';
import { type BodyLimits, formParser, jsonParser, RequestBodies } from '../request-body.ts';
import { until } from '../../../test/kit/until.ts';

const mib = 1024 * 1024;
const json = jsonParser(['application/json']);
const form = formParser({ fileSize: mib, fields: 1, fieldSize: 1000 });

let server: Server;
let bodies: RequestBodies;
let sockets: Socket[] = [];
let answerHeld: (() => void)[] = [];

/** Responds with the number of bytes, or the reason of the refusal. */
async function listen(limits: Partial<BodyLimits> = {}): Promise<void> {
  bodies = new RequestBodies(limits);
  const app = express();
  app.use(async (request, response) => {
    const { account, address } = request.query as { account?: string; address?: string };
    const sender = { account, clientAddress: address ?? 'there' };
    try {
      const reading = bodies.receive(request, sender, request.is('multipart/form-data') ? form : json);
      await reading;
      if (request.path === '/held') await new Promise<void>((resolve) => answerHeld.push(resolve));
      response.end('read');
    } catch (error) {
      if (!(error instanceof TaskgateError)) throw error;
      response.status(error instanceof ValidationError ? 400 : 503);
      response.end(error instanceof ValidationError ? describeProblems(error.problems) : error.message);
    }
  });
  server = createHttpServer().on('request', app).listen(0, '127.0.0.1');
  await once(server, 'listening');
}

const untilHeld = (is: (bytes: number) => boolean) => until('so much is held of bodies', () => is(bodies.held));

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  for (const answer of answerHeld) answer();
  answerHeld = [];
  await untilHeld((bytes) => bytes === 0);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function post(path: string, lines: string[], body: string | Buffer = '') {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\n\r\n`);
  if (body.length > 0) socket.write(body);
  return {
    async untilReceived(pattern: RegExp) {
      await until(`an answer like ${pattern}`, () => pattern.test(text));
    },
    hangUp: () => socket.destroy(),
  };
}

const jsonType = 'Content-Type: application/json';
const formType = 'Content-Type: multipart/form-data; boundary=x';
const chunked = 'Transfer-Encoding: chunked';
const chunkOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const filePart = '--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n';

describe('a body', () => {
  test.each([
    ['JSON', jsonType, 1],
    ['a form', formType, 2],
  ])('of %s is refused by its length before it arrives', async (_of, type, mebibytes) => {
    await listen();
    const connection = post('/', [type, `Content-Length: ${mebibytes * mib + 1}`]);
    await connection.untilReceived(new RegExp(`^HTTP/1.1 400 [^]*body must be at most ${mebibytes} MiB in size`));
    expect(bodies.held).toBe(0);
  });

  test.each([
    ['JSON', jsonType, ' ', 1],
    ['a form', formType, filePart, 2],
  ])(
    'of %s without a length or an end is refused when it gets too large',
    async (_label, type, firstPart, mebibytes) => {
      await listen();
      const connection = post('/?account=anna', [type, chunked], chunkOf(firstPart + ' '.repeat(mebibytes * mib)));
      await connection.untilReceived(/^HTTP\/1.1 400 [^]*body must be at most/);
    },
  );

  test('that takes too long is refused', async () => {
    await listen({ graceMs: 50, minBytesPerSecond: Infinity });
    await post('/', [jsonType, chunked], chunkOf('{')).untilReceived(
      /^HTTP\/1.1 400 [^]*body must arrive within 1 seconds/,
    );
  });
});

describe('the memory of bodies', () => {
  test('is released when the client hangs up or has its response, not before', async () => {
    await listen();
    const broken = post('/', [jsonType, chunked], chunkOf('{'));
    await untilHeld((bytes) => bytes > 0);
    broken.hangUp();
    await untilHeld((bytes) => bytes === 0);
    const wholeRequest = post('/held', [jsonType, 'Content-Length: 2'], '{}');
    await until('the request is there', () => answerHeld.length > 0);
    expect(bodies.held).toBeGreaterThan(2);
    answerHeld.pop()?.();
    await wholeRequest.untilReceived(/read$/);
    await untilHeld((bytes) => bytes === 0);
  });

  test('is bounded for each account and address, for all accounts, and separately for callers without a session', async () => {
    const budget = { maxBytes: 3500, maxBytesOfKey: 2000 };
    await listen({ session: budget, anonymous: budget });
    const large = (sender: string) => post(`/?${sender}`, [jsonType, chunked], chunkOf(' '.repeat(1000)));
    const postSmall = (sender: string) => post(`/?${sender}`, [jsonType, 'Content-Length: 2'], '{}');
    let heldBytes = 0;
    const holdBody = async (sender: string) => {
      large(sender);
      heldBytes += 1000;
      await untilHeld((bytes) => bytes > heldBytes);
    };
    for (const kind of ['account', 'address']) {
      await holdBody(`${kind}=first`);
      // The budget of all would suffice.
      await large(`${kind}=first`).untilReceived(/ 503 /);
      await holdBody(`${kind}=second`);
      // The budget of all has less left than the budget of one.
      await large(`${kind}=third`).untilReceived(/ 503 /);
      await postSmall(`${kind}=third`).untilReceived(/read$/);
    }
  });

  test('is bounded for the networks around an address, at a few times as much', async () => {
    await listen({ anonymous: { maxBytes: 100_000, maxBytesOfKey: 2000 } });
    const large = (network: string) =>
      post(`/?address=${network}::/64`, [jsonType, chunked], chunkOf(' '.repeat(1200)));
    const holdBody = async (network: string) => {
      const before = bodies.held;
      large(network);
      await untilHeld((bytes) => bytes > before);
    };
    for (let client = 0; client < 5; client += 1) await holdBody(`2001:db8:1:${client}`);
    await large('2001:db8:1:9').untilReceived(/ 503 /);
    for (let client = 1; client <= 16; client += 1) await holdBody(`2001:db8:1:${client}00`);
    await large('2001:db8:1:ff00').untilReceived(/ 503 /);
    await holdBody('2001:db8:2:0');
  });

  test('includes the overhead of each chunk, however small', async () => {
    await listen({ session: { maxBytes: 20_000, maxBytesOfKey: 20_000 } });
    await post('/?account=anna', [jsonType, chunked], chunkOf(' ').repeat(100)).untilReceived(/ 503 /);
  });

  test('does not include compressed JSON, which is refused: only forms pass unchanged', async () => {
    await listen();
    const bomb = gzipSync(`"${'x'.repeat(mib / 2)}"`);
    const lines = ['Content-Encoding: gzip', `Content-Length: ${bomb.length}`];
    await post('/?account=anna', [jsonType, ...lines], bomb).untilReceived(/ 415 /);
    post('/?account=anna', [formType, 'Content-Encoding: gzip', chunked], chunkOf(filePart));
    await untilHeld((bytes) => bytes > 0);
    expect(bodies.held).toBeLessThan(1000);
  });

  test.each(['account', 'address'])('leaves a little for each %s, whatever the others hold', async (kind) => {
    const budget = { maxBytes: 3000, maxBytesOfKey: 3000, guaranteedBytesOfKey: 500 };
    await listen({ session: budget, anonymous: budget });
    let heldBytes = 0;
    for (const sender of ['first', 'second']) {
      post(`/?${kind}=${sender}`, [jsonType, chunked], chunkOf(' '.repeat(1500)));
      heldBytes += 1500;
      await untilHeld((bytes) => bytes > heldBytes);
    }
    const large = post(`/?${kind}=third`, [jsonType, chunked], chunkOf(' '.repeat(1500)));
    await large.untilReceived(/ 503 /);
    for (let count = 0; count < 20; count += 1) {
      post(`/held?${kind}=one-of-many-${count}`, [jsonType, 'Content-Length: 2'], '{}');
      await until('the request is there', () => answerHeld.length > count);
    }
    // Together they hold more than the shared budget.
    expect(bodies.held).toBeGreaterThan(3000 + 20 * 250);
    await post(`/?${kind}=fourth`, [jsonType, 'Content-Length: 2'], '{}').untilReceived(/read$/);
    await post(`/?${kind}=fourth`, [jsonType, 'Content-Length: 1000'], ' '.repeat(1000)).untilReceived(/ 503 /);
  });
});
