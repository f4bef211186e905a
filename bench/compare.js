import path from 'node:path';
import { parseArgs } from 'node:util';
import { startTaskgate } from './lib/contenders.js';
import { startServer, withClient } from './lib/database.js';
import { hammer } from './lib/load.js';
import { measureRounds, quantile, ratioOf } from './lib/measure.js';
import { benchFolder } from './lib/paths.js';
import { cookieOf, signIn } from './lib/session.js';
import { firstWriter, standardAccount, seedAccounts, vacuumAnalyze, writers } from './seed/data.js';
import { queryOf } from './workloads/graphql.js';
import { post } from './workloads/writes.js';

// Compares this build with another one, each on its own database. Many short rounds reveal differences smaller than the noise of the machine: node
// compare.js FOLDER

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '1' }, rounds: { type: 'string', default: '40' } },
});
const folders = [path.resolve(benchFolder, '..'), path.resolve(positionals[0] ?? '')];
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];

/** All accounts except the writers have the same tasks. @type {Record<string, (count: number) => import('./lib/load.js').Call>} */
const workloads = {
  'list, from the response cache': () => ({ path: '/api/v2/todo', headers: { cookie: cookieOf(1) } }),
  // A new text each time, which no cache answers.
  'nested query': (count) => {
    const { body = '', ...call } = queryOf(/** @type {any} */ ({ name: 'taskgate' }));
    return { ...call, body: body.replace('query {', `query Q${count} {`) };
  },
  'task made': post,
};

const server = await startServer(folders[0] ?? '');
const contenders = [];
for (const [index, folder] of folders.entries()) {
  const url = await server.create(`compared_${index}`, folder);
  await withClient(url, async (client) => {
    await seedAccounts(client, standardAccount(1), firstWriter + writers);
    await vacuumAnalyze(client);
    for (const account of [1, ...Array.from({ length: writers }, (_, each) => firstWriter + each)]) {
      await signIn(client, account);
    }
  });
  contenders.push(await startTaskgate(folder, url, { name: folder }));
}
for (const [name, call] of Object.entries(workloads)) {
  let count = 0;
  const [own, other] = await measureRounds(
    contenders,
    ({ url }, given) => hammer(url, () => call((count += 1)), { seconds: given }),
    { seconds, rounds, databasePid: server.pid, onSample: () => undefined },
  );
  if (!own || !other) throw new Error('two builds are compared');
  const ratios = own.rates.map((rate, round) => rate / (other.rates[round] ?? NaN)).sort((a, b) => a - b);
  const [low, high] = [0.25, 0.75].map((part) => quantile(ratios, part).toFixed(3));
  const rate = `${ratioOf(own, other).toFixed(3)} × the rate (half of the rounds ${low} to ${high})`;
  console.log(`${name}: ${rate}, ${(own.cpu / other.cpu).toFixed(3)} × the CPU of a request`);
}
for (const contender of contenders) await contender.stop();
await server.stop();
