import { cp, mkdir, open, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { postmasterOf } from '../kit/embedded.ts';
import { endWithProcess, sqlAt } from '../kit/postgres.ts';
import { entranceOf } from '../kit/service.ts';
import { Supervisor } from '../kit/supervisor.ts';
import type { RunSql } from '../soak/checks.ts';
import { endLeft, type Installation, makeFolder, mountDisk, postmastersIn, stopServices } from './installation.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Enough for a database with little in it, and its log. */
const diskMiB = 200;

/** A service with its embedded database, as `npm start` runs it. */
export class Standalone implements Installation {
  readonly service: Supervisor;
  readonly services: readonly Supervisor[];
  readonly dataDir: string;
  readonly folder: string;
  /** Names of the migrations that a later version has added. */
  readonly upgrades: string[] = [];
  readonly #program = { root };
  readonly #unmount: (() => Promise<void>) | undefined;

  private constructor(folder: string, unmount: (() => Promise<void>) | undefined) {
    this.folder = folder;
    this.#unmount = unmount;
    this.dataDir = path.join(folder, 'data');
    const preload = path.join(import.meta.dirname, 'clock.js');
    this.service = new Supervisor(() => ({
      variables: { DATA_DIR: this.dataDir, RATE_LIMITS: 'off', LOG_LEVEL: 'warn' },
      command: [
        ...[process.execPath, '--enable-source-maps', '--import', preload],
        path.join(this.#program.root, 'dist/src/main.js'),
      ],
    }));
    this.services = [this.service];
  }

  /**
   * @param options.smallDisk whether its data is on a small disk of its own
   * @returns undefined where that is wanted and not allowed, which CI does not let pass
   */
  static async start({ smallDisk = false } = {}): Promise<Standalone | undefined> {
    const folder = await makeFolder();
    const unmount = smallDisk ? await mountDisk(folder, diskMiB) : undefined;
    if (smallDisk && !unmount) {
      await rm(folder, { recursive: true });
      if (process.env['CI']) throw new Error('a disk of its own takes root and the right to mount: grant them');
      return undefined;
    }
    const standalone = new Standalone(folder, unmount);
    endWithProcess(standalone.dataDir);
    await standalone.service.up;
    return standalone;
  }

  readonly find = () => this.service.up;

  readonly entrance = async () => entranceOf((await this.service.up).url, this.dataDir);

  readonly sql: RunSql = async (text, values) => sqlAt((await postmasterOf(this.dataDir)).url, text, values);

  readonly postmasters = () => postmastersIn(this.folder);

  /** The next starts are those of a later version: it has further migrations, each of which takes a while. */
  async upgrade(count: number): Promise<void> {
    const later = path.join(this.folder, 'later-version');
    if (this.upgrades.length === 0) {
      await mkdir(later);
      for (const part of ['package.json', 'dist', 'prisma/migrations']) {
        await cp(path.join(root, part), path.join(later, part), { recursive: true });
      }
      await symlink(path.join(root, 'node_modules'), path.join(later, 'node_modules'));
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

  /** Takes all that is left of its disk. @returns what gives it back */
  async fillDisk(): Promise<() => Promise<void>> {
    const file = path.join(this.folder, 'filler');
    const filler = await open(file, 'w');
    for (let size = 1024 * 1024; size >= 512; size /= 2) {
      const chunk = Buffer.alloc(size);
      while (
        await filler.write(chunk).then(
          ({ bytesWritten }) => bytesWritten === size,
          () => false,
        )
      );
    }
    await filler.close();
    return () => rm(file);
  }

  async stop(): Promise<string[]> {
    const wrong = await stopServices(this.services);
    const left = await endLeft(this.folder);
    await this.#unmount?.();
    await rm(this.folder, { recursive: true, force: true });
    return [...wrong, ...left];
  }
}

/** Reads all tasks under a lock and keeps something of each: half of it would be seen. */
const upgradeScript = (name: string) => `
  ALTER TABLE tasks ADD CONSTRAINT ${name} CHECK (title <> '');
  CREATE TABLE ${name} AS SELECT id FROM tasks;
  SELECT pg_sleep(0.05);
  CREATE INDEX ON ${name} (id);
`;

/** Upgrades that are not there exactly once and whole. $1: their names */
export const brokenUpgrades = `
  SELECT name FROM unnest($1::text[]) AS name
  WHERE (SELECT count(*) FROM _prisma_migrations WHERE migration_name = name AND finished_at IS NOT NULL) <> 1
    OR NOT EXISTS (SELECT FROM pg_constraint WHERE conname = name)
    OR NOT EXISTS (SELECT FROM pg_indexes WHERE tablename = name)`;
