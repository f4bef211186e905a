import { readdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../kit/free-port.ts';
import type { LogLine } from '../kit/log-lines.ts';
import { scrape } from '../kit/metrics.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import { dataFolders, endServices, type ServiceProcess, spawnService } from '../kit/process.ts';

const folders = dataFolders();
let DATABASE_URL: string;

async function start(variables: Record<string, string> = {}) {
  const service = await spawnService({ DATABASE_URL, DATA_DIR: await folders.make(), ...variables });
  return service;
}

const linesOf = (service: ServiceProcess) =>
  service
    .errors()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine);

async function ready(service: ServiceProcess): Promise<LogLine> {
  await service.untilLogged(/"msg":"ready"/);
  const line = linesOf(service).find(({ msg }) => msg === 'ready');
  if (!line) throw new Error('no line says that it is ready');
  return line;
}

beforeAll(async () => {
  DATABASE_URL = await createTestDatabase();
});
afterEach(() => endServices('SIGKILL'));
afterAll(() => folders.remove());

describe('the log of a process', () => {
  test('has a line when it is ready, with details, and a line for each step of the stop', async () => {
    const service = await start();
    expect(await ready(service)).toMatchObject({
      event: 'sys_startup',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node: process.version,
      address: service.url,
      ms: expect.any(Number),
      steps: { migrations: expect.any(Number), services: expect.any(Number) },
    });
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    const lines = linesOf(service);
    const stop = lines.slice(lines.findIndex(({ msg }) => msg === 'stopping'));
    expect(stop[0]).toMatchObject({ event: 'sys_shutdown', reason: 'SIGTERM' });
    expect(stop.slice(1, -1).map(({ step, ms }) => [step, typeof ms])).toEqual(
      ['announcement', 'end of listening', 'subscriptions', 'requests', 'services', 'embedded database'].map((step) => [
        step,
        'number',
      ]),
    );
    expect(stop.at(-1)).toMatchObject({ msg: 'stopped', exitCode: 0, ms: expect.any(Number) });
  });

  test('names each applied migration with its duration', async () => {
    const service = await start({ DATABASE_URL: '' });
    await ready(service);
    const migrationLines = linesOf(service).filter(({ migration }) => migration !== undefined);
    const folder = path.resolve(import.meta.dirname, '../../prisma/migrations');
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(migrationLines.map(({ migration }) => migration)).toEqual(names.sort());
    expect(migrationLines.every(({ ms }) => typeof ms === 'number')).toBe(true);
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  test('has a line about a crash if an error ends it', async () => {
    const throwScript = `process.on('SIGUSR2', () => { throw new RangeError('a fault') })`;
    const variables = { DATABASE_URL, DATA_DIR: await folders.make() };
    const service = await spawnService(variables, [
      ...[process.execPath, '--import', `data:text/javascript,${throwScript}`],
      'dist/src/process/main.js',
    ]);
    await ready(service);
    service.signal('SIGUSR2');
    expect(await service.ended).toBe(1);
    expect(service.errors()).toMatch(/"event":"sys_crash","reason":"RangeError","msg":"stopping"/);
    expect(service.errors()).toMatch(/"exitCode":1,[^\n]*"msg":"stopped"/);
  });
});

describe('METRICS_PORT', () => {
  test('serves metrics and probes on a separate port, and metrics nowhere else', async () => {
    const service = await start({ METRICS_PORT: '0' });
    const { metrics } = (await ready(service)) as unknown as { metrics: string };
    const { origin } = new URL(metrics);
    expect(origin).not.toBe(service.url);
    expect((await scrape(origin)).value('process_resident_memory_bytes')).toBeGreaterThan(0);
    expect((await fetch(metrics, { method: 'HEAD' })).status).toBe(200);
    for (const probe of ['/healthz', '/startupz', '/readyz']) {
      expect((await fetch(`${origin}${probe}`)).status).toBe(200);
    }
    for (const other of ['/', '/graphql', '/api/v2/todo', '/metrics/more']) {
      expect((await fetch(`${origin}${other}`)).status).toBe(404);
    }
    expect((await fetch(metrics, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${service.url ?? ''}/metrics`)).status).toBe(404);
  });

  test('serves metrics on the port of requests if it is the same', async () => {
    const port = String(await freePort());
    const service = await start({ PORT: port, METRICS_PORT: port });
    expect((await scrape(service.url ?? '')).value('process_resident_memory_bytes')).toBeGreaterThan(0);
    expect((await ready(service))['metrics']).toBeUndefined();
  });

  test('stops the start with one line if it is in use', async () => {
    const occupiedServer = createServer();
    await new Promise<void>((resolve) => occupiedServer.listen(0, '127.0.0.1', resolve));
    const { port } = occupiedServer.address() as AddressInfo;
    const service = await start({ METRICS_PORT: String(port) });
    expect(await service.ended).toBe(1);
    expect(service.errors()).toBe(
      `Taskgate cannot start: port ${port} is taken at 127.0.0.1: set METRICS_PORT to another one (EADDRINUSE)\n`,
    );
    await new Promise((resolve) => occupiedServer.close(resolve));
  });
});
