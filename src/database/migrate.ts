import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

const { resolve } = createRequire(import.meta.url);
/** Found from the sources and from the build alike. */
const root = path.dirname(resolve('#package.json'));
const migrationsFolder = path.join(root, 'prisma', 'migrations');

/** Any number that nobody else locks; one starting process at a time migrates a database. */
const migrationLock = 7_265_313_024;

/**
 * Applies the migrations that the database lacks, with Prisma's own engine and bookkeeping
 * (`_prisma_migrations`), compiled to WebAssembly: nothing is downloaded.
 * @returns names of the migrations that were applied
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const lock = new pg.Client({ connectionString: databaseUrl });
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    return await applyMigrations(databaseUrl);
  } finally {
    await lock.end();
  }
}

/**
 * Runs a migration as one message to the server, and so as one transaction: the adapter's own way
 * splits at every semicolon, those in functions and comments too, and commits each part.
 */
class MigrationAdapter extends PrismaPg {
  readonly #opened: Awaited<ReturnType<PrismaPg['connect']>>[] = [];

  override async connect() {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => void (await adapter.underlyingDriver().query(script));
    this.#opened.push(adapter);
    return adapter;
  }

  /** Ends the connections, which the engine leaves open. */
  async close() {
    await Promise.all(this.#opened.map((adapter) => adapter.dispose()));
  }
}

async function applyMigrations(databaseUrl: string): Promise<string[]> {
  await loadEngine();
  const connections = new MigrationAdapter({ connectionString: databaseUrl });
  const adapter = bindMigrationAwareSqlAdapterFactory(connections);
  const schema = await readFile(path.join(root, 'prisma', 'schema.prisma'), 'utf8');
  const migrator = await engine.SchemaEngine.new({ datamodels: [['schema.prisma', schema]] }, () => undefined, adapter);
  try {
    const { appliedMigrationNames } = await migrator.applyMigrations({
      migrationsList: await readMigrations(),
      filters: { externalTables: [], externalEnums: [] },
    });
    return appliedMigrationNames;
  } finally {
    migrator.free();
    await connections.close();
  }
}

let loaded: Promise<void> | undefined;

function loadEngine() {
  loaded ??= (async () => {
    const folder = path.dirname(resolve('@prisma/schema-engine-wasm'));
    const module = await WebAssembly.compile(await readFile(path.join(folder, 'schema_engine_bg.wasm')));
    const instance = await WebAssembly.instantiate(module, { './schema_engine_bg.js': { ...engine, ...idleTimers() } });
    engine.__wbg_set_wasm(instance.exports);
    const { __wbindgen_start: start } = instance.exports;
    (start as () => void)();
  })();
  return loaded;
}

/** The engine leaves the timers of its timeouts running: these do not keep the process alive. */
function idleTimers() {
  const setIdleTimer = (callback: () => void, milliseconds: number) => setTimeout(callback, milliseconds).unref();
  const names = Object.keys(engine).filter((name) => name.startsWith('__wbg_setTimeout_'));
  return Object.fromEntries(names.map((name) => [name, setIdleTimer]));
}

async function readMigrations() {
  const entries = await readdir(migrationsFolder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const read = async (name: string) => ({
    path: name,
    migrationFile: {
      path: 'migration.sql',
      content: {
        tag: 'ok' as const,
        value: await readFile(path.join(migrationsFolder, name, 'migration.sql'), 'utf8'),
      },
    },
  });
  return {
    baseDir: migrationsFolder,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(path.join(migrationsFolder, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(names.sort().map(read)),
  };
}
