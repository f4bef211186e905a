import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pRetry from 'p-retry';
import { postmasterOf } from '../kit/embedded.ts';
import { endWithProcess, sqlAt } from '../kit/postgres.ts';
import { accessService } from '../kit/service.ts';
import { SmallDisk } from '../kit/small-disk.ts';
import { Supervisor } from '../kit/supervisor.ts';
import { effectTriggers, type RunSql } from '../load/effects.ts';
import { endRemaining, type Installation, makeFolder, postmastersIn, stopServices } from './installation.ts';
import { nearby } from '../webhooks/webhooks.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** About ten seconds in total. */
const restarting = { retries: 20, minTimeout: 50, maxTimeout: 500 };

const diskMiB = 200;

/** A service with its embedded database, started as by `npm start`. */
export class Standalone implements Installation {
  readonly service: Supervisor;
  readonly services: readonly Supervisor[];
  readonly dataDir: string;
  readonly folder: string;
  readonly upgrades: string[] = [];
  readonly #program = { root };
  readonly disk: SmallDisk | undefined;

  private constructor(folder: string, disk: SmallDisk | undefined) {
    this.folder = folder;
    this.disk = disk;
    this.dataDir = path.join(folder, 'data');
    const preload = path.join(import.meta.dirname, 'clock.js');
    this.service = new Supervisor(() => ({
      variables: { DATA_DIR: this.dataDir, RATE_LIMITS: 'off', ...nearby, LOG_LEVEL: 'warn' },
      command: [
        ...[process.execPath, '--enable-source-maps', '--import', preload],
        path.join(this.#program.root, 'dist/src/process/main.js'),
      ],
    }));
    this.services = [this.service];
  }

  /** @returns undefined if a small disk cannot be mounted, see {@link SmallDisk.mount} */
  static async start({ smallDisk = false } = {}): Promise<Standalone | undefined> {
    const disk = smallDisk ? await SmallDisk.mount(diskMiB) : undefined;
    if (smallDisk && !disk) return undefined;
    const standalone = new Standalone(disk?.folder ?? (await makeFolder()), disk);
    endWithProcess(standalone.dataDir);
    await standalone.service.up;
    return standalone;
  }

  readonly find = () => this.service.up;

  readonly access = async () => accessService((await this.service.up).url, this.dataDir);

  /** Retries while the service restarts a killed database. */
  readonly sql: RunSql = (text, values) =>
    pRetry(async () => sqlAt((await postmasterOf(this.dataDir)).url, text, values), restarting);

  readonly postmasters = () => postmastersIn(this.folder);

  /** Makes the next starts run a later version, with additional slow migrations. */
  async upgrade(count: number): Promise<void> {
    const later = path.join(this.folder, 'later-version');
    if (this.upgrades.length === 0) {
      await mkdir(later);
      for (const part of ['package.json', 'dist', 'prisma']) {
        await cp(path.join(root, part), path.join(later, part), { recursive: true });
      }
      await symlink(path.join(root, 'node_modules'), path.join(later, 'node_modules'));
      // The last of its files.
      await writeFile(path.join(later, 'prisma/functions/zz_load.sql'), effectTriggers);
      this.#program.root = later;
    }
    for (let added = 0; added < count; added += 1) {
      const name = `upgrade_${String(this.upgrades.length + 1).padStart(4, '0')}`;
      const migration = path.join(later, 'prisma/migrations', name);
      await mkdir(migration);
      await writeFile(path.join(migration, 'migration.sql'), upgradeScript(name));
      this.upgrades.push(name);
    }
  }

  async stop(): Promise<string[]> {
    const problems = await stopServices(this.services);
    const remaining = await endRemaining(this.folder);
    if (this.disk) await this.disk.unmount();
    else await rm(this.folder, { recursive: true, force: true });
    return [...problems, ...remaining];
  }
}

/** Takes a lock and has several steps, so a partial migration is visible. */
const upgradeScript = (name: string) => `
  ALTER TABLE tasks ADD CONSTRAINT ${name} CHECK (title <> '');
  CREATE TABLE ${name} AS SELECT id FROM tasks;
  SELECT pg_sleep(0.05);
  CREATE INDEX ON ${name} (id);
`;

/** Upgrades that are missing, partial or repeated. $1: names */
export const brokenUpgrades = `
  SELECT name FROM unnest($1::text[]) AS name
  WHERE (SELECT count(*) FROM _prisma_migrations WHERE migration_name = name AND finished_at IS NOT NULL) <> 1
    OR NOT EXISTS (SELECT FROM pg_constraint WHERE conname = name)
    OR NOT EXISTS (SELECT FROM pg_indexes WHERE tablename = name)`;
