import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createTestDatabase } from '../kit/postgres.ts';
import { dataFolders, endServices, launchService, spawnService } from '../kit/process.ts';
import { until } from '../kit/until.ts';

const folders = dataFolders();
let DATABASE_URL: string;

async function start(variables: Record<string, string> = {}) {
  const service = await spawnService({ DATABASE_URL, DATA_DIR: await folders.make(), ...variables });
  const { hostname, port } = new URL(service.url ?? '');
  return { ...service, url: service.url ?? '', connect: () => connect(Number(port), hostname) };
}

/** @returns everything received before the close */
async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (part: Buffer) => (text += part.toString())).resume();
  await closed(socket);
  return text;
}

async function closed(socket: Socket) {
  socket.on('error', () => undefined);
  await once(socket, 'close');
}

async function sendRequest(
  url: string,
  accept = '*/*',
): Promise<{ status: number | undefined; connection: string | undefined } | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { headers: { Connection: 'keep-alive', Accept: accept } }, (response) => {
      response.resume().once('end', () => {
        resolve({ status: response.statusCode, connection: response.headers.connection });
        request.destroy();
      });
    });
    request.once('error', () => resolve(undefined));
  });
}

beforeAll(async () => {
  DATABASE_URL = await createTestDatabase();
});
afterEach(() => endServices('SIGKILL'));
afterAll(() => folders.remove());

describe('a service that is stopped', () => {
  test('is not delayed by an idle connection or a connection that is kept alive', async () => {
    const service = await start();
    const [silentSocket, alive] = [service.connect(), service.connect()];
    alive.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await Promise.all([once(silentSocket, 'connect'), once(alive, 'data')]);
    const bothClosed = Promise.all([closed(silentSocket.resume()), closed(alive.resume())]);
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    await bothClosed;
  });

  test.each<NodeJS.Signals>(['SIGTERM', 'SIGINT', 'SIGHUP'])(
    'cuts off requests that do not end, and exits with 0: %s',
    async (signal) => {
      const service = await start({ SHUTDOWN_TIMEOUT_MS: '300' });
      const sockets = [
        // A body that never arrives.
        'POST /api/v1/user/signin HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
        // Headers without an end.
        'GET /healthz HTTP/1.1\r\nHost: x\r\n',
        // A response that nobody reads.
        'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20),
      ].map((text) => {
        const socket = service.connect().pause();
        socket.write(text);
        return socket;
      });
      // The service accepts connections in order, so it has the others by now.
      expect(await sendRequest(`${service.url}/healthz`)).toMatchObject({ status: 200 });
      const received = Promise.all(sockets.slice(0, 2).map(readToEnd));
      service.signal(signal);
      expect(await service.ended).toBe(0);
      // If the stop had waited for them, they would have received a timeout response.
      expect(await received).toEqual(['', '']);
      for (const socket of sockets) socket.destroy();
    },
  );

  test('first turns /readyz to 503, and each response closes its connection', async () => {
    const service = await start({ SHUTDOWN_DELAY_MS: '3000' });
    expect(await sendRequest(`${service.url}/readyz`)).toEqual({ status: 200, connection: 'keep-alive' });
    service.signal('SIGTERM');
    let answer = await sendRequest(`${service.url}/readyz`);
    await until('it says that it is not ready', async () => {
      answer = await sendRequest(`${service.url}/readyz`);
      return answer?.status !== 200;
    });
    expect(answer).toEqual({ status: 503, connection: 'close' });
    expect(await sendRequest(`${service.url}/healthz`)).toEqual({ status: 200, connection: 'close' });
    const stream = await sendRequest(`${service.url}/graphql?query={__typename}`, 'text/event-stream');
    expect(stream).toEqual({ status: 200, connection: 'close' });
    expect(await service.ended).toBe(0);
  });

  test('responds to a request that was being sent', async () => {
    const service = await start({ SHUTDOWN_TIMEOUT_MS: '60000' });
    const socket = service.connect();
    const body = JSON.stringify({ email: 'anna@example.com', password: 'wrong' });
    socket.write(
      `POST /api/v1/user/signin HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
    );
    expect(await sendRequest(`${service.url}/healthz`)).toMatchObject({ status: 200 });
    service.signal('SIGTERM');
    await until('connections are refused', async () => (await sendRequest(`${service.url}/healthz`)) === undefined);
    socket.write(body.slice(1));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 [^]*\r\nConnection: close\r\n/i);
    expect(await service.ended).toBe(0);
  });

  test('waits no longer after a second signal', async () => {
    const service = await start({ SHUTDOWN_DELAY_MS: '600000', SHUTDOWN_TIMEOUT_MS: '600000' });
    const socket = service.connect();
    socket.write('POST /api/v1/user/signin HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n');
    expect(await sendRequest(`${service.url}/healthz`)).toMatchObject({ status: 200 });
    service.signal('SIGTERM');
    await until('connections are refused', async () => {
      service.signal('SIGTERM');
      return (await sendRequest(`${service.url}/healthz`)) === undefined;
    });
    expect(await service.ended).toBe(0);
    socket.destroy();
  });

  test('continues if nobody reads its output', async () => {
    const probe = await start();
    const port = new URL(probe.url).port;
    probe.signal('SIGTERM');
    await probe.ended;
    const service = await launchService({
      DATABASE_URL,
      DATA_DIR: await folders.make(),
      PORT: port,
      LOG_LEVEL: 'trace',
    });
    service.closeOutput();
    await until('it is ready', async () => (await sendRequest(`http://127.0.0.1:${port}/readyz`))?.status === 200);
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  const onLinux = process.platform === 'linux' ? test : test.skip;
  onLinux('continues if the disk of its log is full', async () => {
    const variables = { DATABASE_URL, DATA_DIR: await folders.make(), LOG_LEVEL: 'trace' };
    const service = await spawnService(variables, ['sh', '-c', 'exec node dist/src/process/main.js 2>/dev/full']);
    expect(await sendRequest(`${service.url}/readyz`)).toMatchObject({ status: 200 });
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  test('ends even if nobody reads its last output', async () => {
    const service = await start();
    await service.untilLogged(/"msg":"ready"/);
    service.closeOutput();
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
  });
});
