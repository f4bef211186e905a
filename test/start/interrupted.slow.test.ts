import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { Client } from '../kit/client.ts';
import { seededRandom, seedOfRun } from '../kit/random.ts';
import { dataFolders, endServices, launchService, processesOf, spawnService } from '../kit/process.ts';

/** Starts per kind at a random moment, in addition to the fixed moments. */
const randomStarts = Number(process.env['TASKGATE_INTERRUPTED_STARTS'] ?? 1);
const seed = seedOfRun();
const random = seededRandom(`${seed} moments`);
const mostLines = 60;

const moments: [string, RegExp][] = [
  ['while the files of the database are made', /making the files of the database/],
  ['while role and database are made', /making the role and the database/],
  ['while the server starts', /starting PostgreSQL/],
  ['once the server takes connections', /ready to accept connections/],
  ['between two migrations', /a migration was applied/],
];

function randomMoments(): [string, RegExp][] {
  return Array.from({ length: randomStarts }, () => {
    const lines = 1 + Math.floor(random() * mostLines);
    return [`after ${lines} lines of the log`, new RegExp(`(?:.*\\n){${lines}}`)];
  });
}

const folders = dataFolders();

async function launch(dataDir: string, command?: string[]) {
  const service = await launchService({ DATA_DIR: dataDir, LOG_LEVEL: 'debug' }, command);
  return service;
}

async function expectWhole(dataDir: string) {
  const service = await spawnService({ DATA_DIR: dataDir });
  expect(service.errors()).not.toContain('cannot start');
  expect(await new Client(service.url ?? '').get('/readyz')).toMatchObject({ status: 200 });
  const code = { email: 'anna@example.com' };
  expect(await new Client(service.url ?? '').post('/api/v1/user/signup/send-otp', code)).toMatchObject({ status: 200 });
  expect(
    (await readdir(dataDir)).filter((name) => name.startsWith('postgres.new') || name.startsWith('.probe')),
  ).toEqual([]);
  service.signal('SIGTERM');
  expect(await service.ended).toBe(0);
  expect(await processesOf(dataDir)).toEqual([]);
}

afterEach(() => endServices('SIGTERM'));
afterAll(() => folders.remove());

describe('a first start', () => {
  /** SIGINT does the same as SIGTERM, and npm replaces itself with the service. Any moment shows that. */
  const index = Math.floor(random() * moments.length);
  const sampledMoments = moments.slice(index, index + 1);

  test.each<[string, NodeJS.Signals, number | string, typeof moments, string[] | undefined]>([
    ['SIGTERM', 'SIGTERM', 0, moments, undefined],
    ['SIGINT', 'SIGINT', 0, sampledMoments, undefined],
    ["SIGTERM to npm's own process", 'SIGTERM', 0, sampledMoments, ['npm', 'start', '--silent']],
    ['SIGKILL', 'SIGKILL', 'SIGKILL', moments, undefined],
  ])('that is repeatedly ended by %s, at any moment, continues at the next start', async (...kind) => {
    const [, signal, code, first, command] = kind;
    const dataDir = await folders.make();
    // Starts run in sequence on one folder. Each finds the remains of the one before.
    for (const [moment, line] of [...first, ...randomMoments()]) {
      const service = await launch(dataDir, command);
      await Promise.race([service.untilLogged(line), service.ready, service.ended]);
      service.signal(signal);
      expect({ seed, moment, code: await service.ended }).toEqual({ seed, moment, code });
      if (signal !== 'SIGKILL') expect({ moment, left: await processesOf(dataDir) }).toEqual({ moment, left: [] });
    }
    await expectWhole(dataDir);
  });
});
