import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startTaskgate } from '../lib/contenders.js';
import { withClient } from '../lib/database.js';
import { sendRequest } from '../lib/load.js';
import { median } from '../lib/measure.js';
import { serviceModule } from '../lib/paths.js';
import { cookieOf, signIn } from '../lib/session.js';
import { memoryOf } from '../lib/usage.js';
import { standardAccount, seedAccounts, vacuumAnalyze } from '../seed/data.js';

const starts = 3;
/** Long enough to collect the garbage of a start. */
const idleMs = 10_000;

/**
 * Creates a data folder with 10,000 tasks in the embedded PostgreSQL.
 * @param {string} service
 */
async function makeData(service) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-bench-start-'));
  await chmod(folder, 0o711);
  const { startEmbeddedDatabase } = await serviceModule(service, 'packages/postgres-server/index.js');
  const { migrate } = await serviceModule(service, 'src/platform/migrations.js');
  const server = await startEmbeddedDatabase(folder, { forTools: true });
  await migrate(server.url);
  await withClient(server.url, async (client) => {
    await seedAccounts(client, standardAccount(1), 100);
    await signIn(client, 1);
    await vacuumAnalyze(client);
  });
  await server.stop();
  return folder;
}

/**
 * Measures the start up to the ready line, with the embedded PostgreSQL, then the memory some seconds after a few requests.
 * @param {import('./index.js').Stage} stage
 */
export async function startAndIdle({ service, rounds }) {
  const folder = await makeData(service);
  /** @type {number[]} */
  const ready = [];
  /** @type {number[]} */
  const idle = [];
  try {
    for (let count = 0; count < starts; count += 1) {
      const contender = await startTaskgate(service, '', { dataDir: folder });
      try {
        ready.push(contender.readyMs / 1000);
        for (let count = 0; count < 20; count += 1) {
          await sendRequest(contender.url, { path: '/api/v2/todo', headers: { cookie: cookieOf(1) } });
        }
        await setTimeout(idleMs);
        idle.push(await memoryOf(contender.pid));
      } finally {
        await contender.stop();
      }
      rounds.onSample(`ready after ${ready.at(-1)?.toFixed(2)} s, idle at ${idle.at(-1)?.toFixed(0)} MB`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return {
    figures: [],
    notes: [
      `Ready after ${ready.map((seconds) => seconds.toFixed(2)).join(', ')} s; idle at ${idle.map((size) => size.toFixed(0)).join(', ')} MB.`,
    ],
    targets: [
      { text: 'ready within 3 s', ratio: median(ready), atMost: 3 },
      { text: 'idle memory ≤ 160 MB', ratio: median(idle), atMost: 160 },
    ],
  };
}
