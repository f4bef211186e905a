import { afterEach, expect, test } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { sqlAt } from '../../../test/kit/postgres.ts';
import { until } from '../../../test/kit/until.ts';
import { createParcels } from './parcels.ts';

const [houses, perHouse, slots] = [20, 100, 4];

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
});

function start(url: string): ChildProcess {
  const child = spawn(
    process.execPath,
    ['--import', './scripts/typescript.js', 'packages/outbox/test/office.ts', url],
    {
      stdio: 'inherit',
    },
  );
  children.push(child);
  return child;
}

test('rows of two processes arrive once and in order, except those in flight when one is killed, which arrive again', async () => {
  const url = await createParcels();
  await sqlAt(
    url,
    `INSERT INTO parcels (id, house, at)
     SELECT house || ':' || to_char(n, 'FM000'), 'Street' || house || ' 1', now() + n * interval '1 ms'
     FROM generate_series(1, $1) AS house, generate_series(1, $2) AS n`,
    [houses, perHouse],
  );
  const [killed] = [start(url), start(url)];
  const arrivals = () => sqlAt<{ id: string; house: string }>(url, 'SELECT id, house FROM arrivals ORDER BY n');
  await until('some have arrived', async () => (await arrivals()).length > houses);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  const planned = () => sqlAt(url, `SELECT FROM parcels WHERE status = 'PLANNED'`);
  await until('all are sent', async () => (await planned()).length === 0);

  const all = await arrivals();
  expect(all.length).toBeLessThanOrEqual(houses * perHouse + slots);
  for (const house of new Set(all.map((each) => each.house))) {
    const ids = all.filter((each) => each.house === house).map(({ id }) => id);
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(perHouse);
  }
}, 120_000);
