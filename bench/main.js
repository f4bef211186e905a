import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { benchConsole } from './console/main.js';
import { chart } from './lib/chart.js';
import { startServer, versionOf } from './lib/database.js';
import { benchFolder } from './lib/paths.js';
import { results, section, withTargets } from './lib/report.js';
import { stageOn } from './lib/stage.js';
import { workloads } from './workloads/index.js';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    service: { type: 'string', default: path.resolve(benchFolder, '..') },
    profile: { type: 'string' },
  },
});

const service = path.resolve(options.service);
const log = (/** @type {string} */ text) => console.error(`${new Date().toISOString().slice(11, 19)}  ${text}`);

const selectedWorkloads = workloads.filter(({ name }) => options.only === undefined || name === options.only);
if (selectedWorkloads.length === 0) {
  console.error(`--only takes one of ${workloads.map(({ name }) => name).join(', ')}`);
  process.exit(1);
}

async function run() {
  log('starting the database');
  const server = await startServer(service);
  const nodeArgs =
    options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(options.profile)}`];
  const stage = stageOn(server, { service, nodeArgs, log });
  const rounds = {
    seconds: Number(options.seconds),
    rounds: Number(options.rounds),
    databasePid: server.pid,
    onSample: (/** @type {string} */ text) => log(`  ${text}`),
  };
  /** @type {import('./lib/report.js').Measured[]} */
  const measurements = [];
  try {
    for (const { name, title, needs, run: measure } of selectedWorkloads) {
      const contenders = await stage.contenders(needs);
      log(title);
      const outcome = await measure({ .../** @type {any} */ (contenders), service, rounds });
      measurements.push({ name, title, ...outcome });
      console.log(`\n${section({ name, title, ...outcome })}\n`);
    }
    if (options.only !== undefined) return;
    await writeFile(path.join(benchFolder, 'RESULTS.md'), results(measurements, await versionOf(server)));
    await writeFile(path.join(benchFolder, 'results.svg'), chart(measurements));
    const page = path.resolve(benchFolder, '../docs/reliability.md');
    await writeFile(page, withTargets(await readFile(page, 'utf8'), measurements));
    log('written: bench/RESULTS.md, bench/results.svg, docs/reliability.md');
  } finally {
    await stage.stop();
    await server.stop();
  }
}

// The handlers of `exit` end the started processes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

const [page, ...others] = positionals;
if (others.length > 0 || (page !== undefined && page !== 'console')) {
  console.error('the benchmark takes nothing but "console", and options');
  process.exit(1);
}
await (page === 'console' ? benchConsole(service, log) : run());
