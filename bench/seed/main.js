import path from 'node:path';
import { parseArgs } from 'node:util';
import { withClient } from '../lib/database.js';
import { benchFolder, serviceModule } from '../lib/paths.js';
import { seedMany, vacuumAnalyze } from './data.js';

const { values: options } = parseArgs({
  options: {
    tasks: { type: 'string', default: '10000' },
    accounts: { type: 'string', default: '100' },
    service: { type: 'string', default: path.resolve(benchFolder, '..') },
  },
});
const [tasks, accounts] = [Number(options.tasks), Number(options.accounts)];
const url = process.env['DATABASE_URL'];
if (!url || !(accounts >= 1) || !(tasks / accounts >= 10)) {
  console.error('DATABASE_URL=postgresql://… npm --prefix bench run seed -- --tasks 1000000 --accounts 10000');
  console.error('makes accounts of at least ten tasks each in an empty database.');
  process.exit(1);
}

const { migrate } = await serviceModule(options.service, 'src/platform/migrations.js');
await migrate(url);
const startedAt = performance.now();
await withClient(url, async (client) => {
  await seedMany(client, accounts, tasks, (count) => {
    const seconds = (performance.now() - startedAt) / 1000;
    const rest = (seconds / count) * (accounts - count);
    console.log(`${count} of ${accounts} accounts after ${seconds.toFixed(0)} s, ${rest.toFixed(0)} s to go`);
  });
  console.log('gathering statistics');
  await vacuumAnalyze(client);
});
