import path from 'node:path';
import { parseArgs } from 'node:util';
import { startDirect, startLimit, startTaskgate } from './lib/contenders.js';
import { dropChangeLog, startServer, withClient } from './lib/database.js';
import { benchFolder } from './lib/paths.js';
import { table, targetLine } from './lib/report.js';
import { signIn } from './lib/session.js';
import { ordinary, seedAccounts, settle } from './seed/data.js';
import { workloads } from './workloads/index.js';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    service: { type: 'string', default: path.resolve(benchFolder, '..') },
    profile: { type: 'string' },
  },
});

const service = path.resolve(options.service);
const say = (/** @type {string} */ text) => console.error(`${new Date().toISOString().slice(11, 19)}  ${text}`);

const chosen = workloads.filter(({ name }) => options.only === undefined || name === options.only);
if (chosen.length === 0) {
  console.error(`--only takes one of ${workloads.map(({ name }) => name).join(', ')}`);
  process.exit(1);
}

/** Accounts of 100 tasks beside the one that is read. */
const accounts = 100;

/** @param {import('./lib/database.js').Server} server */
async function makeDatabases(server) {
  const make = async (/** @type {string} */ name) => {
    const url = await server.create(name);
    await withClient(url, async (client) => {
      await seedAccounts(client, ordinary(1), accounts);
      await signIn(client, 1);
      await settle(client);
    });
    return url;
  };
  const logged = await make('logged');
  const plain = await make('plain');
  await dropChangeLog(plain);
  return { logged, plain };
}

async function run() {
  say('starting the database');
  const server = await startServer(service);
  /** @type {import('./lib/contenders.js').Contender[]} */
  const started = [];
  try {
    say(`making ${accounts} accounts of 100 tasks`);
    const { logged, plain } = await makeDatabases(server);
    const profile =
      options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(options.profile)}`];
    const taskgate = await startTaskgate(service, logged, profile);
    started.push(taskgate);
    const direct = await startDirect(service, plain);
    started.push(direct);
    const limit = await startLimit(plain);
    started.push(limit);
    for (const { title, run: measure } of chosen) {
      say(title);
      const rounds = {
        seconds: Number(options.seconds),
        rounds: Number(options.rounds),
        databasePid: server.pid,
        onSample: (/** @type {string} */ text) => say(`  ${text}`),
      };
      const { figures, targets } = await measure({ taskgate, direct, limit, rounds });
      console.log(`\n${title}\n\n${table(figures)}\n\n${targets.map(targetLine).join('\n')}\n`);
    }
  } finally {
    for (const contender of started.reverse()) await contender.stop();
    await server.stop();
  }
}

await run();
