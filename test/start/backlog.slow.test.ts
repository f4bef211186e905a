import { afterAll, afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { createTestDatabase } from '../kit/postgres.ts';
import { dataFolders, endServices, spawnService } from '../kit/process.ts';
import { withTimeout } from '../kit/until.ts';

const folders = dataFolders();
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  return endServices('SIGKILL');
});
afterAll(() => folders.remove());

/** More than Node's default backlog of 511. */
const connections = 1000;

/** The system's limit, or 128 if unknown. */
const systemBound = () => readFile('/proc/sys/net/core/somaxconn', 'utf8').then(Number, () => 128);

test('connections wait for a busy process, up to the queue of the system', async () => {
  const service = await spawnService({ DATABASE_URL: await createTestDatabase(), DATA_DIR: await folders.make() });
  const { hostname, port } = new URL(service.url ?? '');
  const count = Math.min(connections, await systemBound());
  service.signal('SIGSTOP');
  while (sockets.length < count) sockets.push(connect(Number(port), hostname));
  await withTimeout('all are connected', Promise.all(sockets.map((socket) => once(socket, 'connect'))));
  expect(sockets.every(({ readyState }) => readyState === 'open')).toBe(true);
});
