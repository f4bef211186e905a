import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startTaskgate } from '../lib/contenders.js';
import { startServer, versionOf, withClient } from '../lib/database.js';
import { benchFolder } from '../lib/paths.js';
import { isMet, machine, table } from '../lib/report.js';
import { signIn } from '../lib/session.js';
import { seedAccounts, vacuumAnalyze } from '../seed/data.js';
import { seedWorkspace } from '../seed/workspace.js';
import { coldStart, firstLoad, othersChanges, scrolling, withBrowser } from './measures.js';

/** Account numbers by the size of the list. `other` writes to the workspace that it shares with `cold`. */
const accounts = { cold: 1, long: 2, other: 3 };
const tasks = { [accounts.cold]: 2_000, [accounts.long]: 5_000, [accounts.other]: 100 };

/** @param {import('pg').Client} client */
async function seed(client) {
  for (const [account, top] of Object.entries(tasks)) {
    await seedAccounts(client, { number: Number(account), top, middle: 0, bottom: 0 });
    await signIn(client, Number(account));
  }
  await seedWorkspace(client, { members: [accounts.cold, accounts.other], tasks: 100 });
  await vacuumAnalyze(client);
}

/**
 * Measures the console in Chromium and writes CONSOLE.md.
 * @param {string} service folder of the built service
 * @param {(text: string) => void} log
 */
export async function benchConsole(service, log) {
  const server = await startServer(service);
  try {
    const databaseUrl = await server.create('console');
    await withClient(databaseUrl, seed);
    const { url, stop } = await startTaskgate(service, databaseUrl);
    try {
      const targets = await withBrowser(url, async (open) => {
        const measured = [];
        for (const measure of [firstLoad, coldStart, scrolling, othersChanges]) {
          const target = await measure(open, accounts);
          log(`${target.text}: ${target.ratio.toFixed(0)}`);
          measured.push(target);
        }
        return measured;
      });
      const rows = targets.map(({ text, ratio, ...bound }) => [
        text,
        String(bound.atMost),
        ratio.toFixed(0),
        isMet({ text, ratio, ...bound }) ? 'met' : '**not met**',
      ]);
      const report = table(['', 'target', 'figure', ''], rows);
      console.log(`\n${report}`);
      await writeFile(path.join(benchFolder, 'CONSOLE.md'), page(report, machine(await versionOf(server))));
    } finally {
      await stop();
    }
  } finally {
    await server.stop();
  }
}

/** @param {string} report @param {string} machine */
const page = (report, machine) => `# Console

Written by \`npm run bench -- console\`: the console in headless Chromium with its CPU throttled to a quarter. The service and
PostgreSQL run on the same machine.
${machine}

${report}

The first load is the compressed HTML, scripts and styles that load before a list is shown. A cold start is a new page with its tasks in
IndexedDB, the median of seven. Frames are measured while the wheel scrolls a list at rest: by 400 and by 100 pixels a frame, which skips rows
and renders them when it slows down, then by 20. A change by another user is a PATCH over REST, from its start until the page shows the
title.
`;
