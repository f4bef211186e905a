import path from 'node:path';
import { log, StartError } from '@taskgate/base';
import { backUp, restore, upgrade } from '@taskgate/postgres-server';
import { loadConfig } from '../config/config.ts';
import { checkVersion, migrate } from '../platform/migrations.ts';
import { StopSignal, stopSignals } from './shutdown.ts';

const stop = new AbortController();
// A second signal changes nothing: npm forwards its own, and the end takes seconds.
for (const name of stopSignals) process.on(name, () => stop.abort(new StopSignal(name)));

/** `npm run backup`, `npm run restore` and `npm run upgrade`: see docs/operations.md. */
async function main([command, folder]: string[]): Promise<void> {
  const { dataDir, databaseUrl, logLevel, misspelt } = loadConfig();
  for (const { variable, closeTo } of misspelt) console.error(`${variable} is unknown: did you mean ${closeTo}?`);
  log.level = logLevel === 'info' ? 'error' : logLevel;
  if (databaseUrl !== undefined) {
    throw new StartError("DATABASE_URL is set: use PostgreSQL's own tools for that database");
  }
  const say = (line: string) => console.log(line);
  const { signal } = stop;
  if (command === 'upgrade')
    return upgrade(dataDir, { programs: folder && path.resolve(folder), migrate, say, signal });
  if (!folder) throw new StartError('a folder is required: npm run backup -- FOLDER, npm run restore -- FOLDER');
  const target = path.resolve(folder);
  if (command === 'restore') {
    const rows = await restore(target, dataDir, { check: checkVersion, signal });
    return say(`restored ${target} to ${dataDir} and verified it: ${rows} rows`);
  }
  const { bytes, rows } = await backUp(dataDir, target, signal);
  say(
    `backed up ${dataDir} to ${target}, then started the copy and verified it: ${rows} rows, ${Math.ceil(bytes / 1e6)} MB`,
  );
}

/** Such as a full disk, a folder that cannot be made, or a database that ends in between. */
const isOfSystem = (error: unknown): error is Error => error instanceof Error && 'code' in error;

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof StartError) && !(error instanceof StopSignal) && !isOfSystem(error)) throw error;
  console.error(`Taskgate cannot do that: ${error.message.split('\n')[0]}`);
  process.exitCode = 1;
}
