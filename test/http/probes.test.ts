import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMetricsServer, type Phase, phaseOf } from '../../src/http/health.ts';
import { FaultProxy } from '../kit/fault-proxy.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import { type Service, startService } from '../kit/service.ts';
import { until, untilReady } from '../kit/until.ts';

let phase: Phase;
let server: Server;
let proxy: FaultProxy;
let service: Service;
beforeAll(async () => {
  const databaseUrl = await createTestDatabase();
  proxy = await FaultProxy.open(databaseUrl);
  service = await startService({}, { databaseUrl, serviceDatabaseUrl: proxy.url });
  server = createMetricsServer(
    () => phase,
    () => service.services.connections,
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await service.close();
  await proxy.close();
});

async function probe(path: string) {
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  return { status: response.status, body: (await response.json()) as object };
}

test.each<[Phase, number, number]>([
  ['starting', 503, 503],
  ['ready', 200, 200],
  ['stopping', 200, 503],
])('a process that is %s is alive, with /startupz %i and /readyz %i', async (now, started, ready) => {
  phase = now;
  expect(await probe('/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
  expect(await probe('/startupz')).toEqual({ status: started, body: { status: now } });
  expect(await probe('/readyz')).toMatchObject({ status: ready, body: { status: now } });
});

test.each<[boolean, boolean, Phase]>([
  [false, false, 'starting'],
  [false, true, 'starting'],
  [true, false, 'ready'],
  [true, true, 'stopping'],
])('a process that has been ready (%s) and stops (%s) is %s', (hasBeenReady, isStopping, expected) => {
  expect(phaseOf(hasBeenReady, isStopping)).toBe(expected);
});

test('a process stays ready while the database is unavailable, and reports it', async () => {
  phase = 'ready';
  expect(await probe('/readyz')).toEqual({ status: 200, body: { status: 'ready', database: 'ok' } });
  await proxy.set({ mode: 'down' });
  await until('the public /readyz is 503', async () => (await service.anonymous.get('/readyz')).status === 503);
  expect(await probe('/readyz')).toEqual({ status: 200, body: { status: 'ready', database: 'unavailable' } });
  await proxy.set({ mode: 'ok' });
  await untilReady(service);
});

test('every other path is unknown', async () => {
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2/todo`);
  expect(response.status).toBe(404);
});
