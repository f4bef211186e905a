import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import pg from 'pg';

/** Found from the sources and from the build alike. */
const root = path.dirname(createRequire(import.meta.url).resolve('#package.json'));
const migrationsFolder = path.join(root, 'prisma', 'migrations');

/** Any number that nobody else locks; one starting process at a time migrates a database. */
const migrationLock = 7_265_313_024;

/**
 * Applies the migrations that the database lacks, with Prisma's own engine and bookkeeping
 * (`_prisma_migrations`).
 * @returns names of the migrations that were applied
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    const migrations = await readMigrations();
    if (await hasAll(client, migrations.migrationDirectories)) return [];
    // The engine takes time and memory to load: only where there is something for it to do.
    const { applyMigrations } = await import('./schema-engine.ts');
    return await applyMigrations(
      databaseUrl,
      await readFile(path.join(root, 'prisma', 'schema.prisma'), 'utf8'),
      migrations,
    );
  } finally {
    await client.end();
  }
}

/** Whether each migration has been applied, and none has failed. */
async function hasAll(client: pg.Client, migrations: { path: string }[]): Promise<boolean> {
  const { rows } = await client.query<{ known: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS known`,
  );
  if (rows[0]?.known !== true) return false;
  const { rows: records } = await client.query<{ migration_name: string; finished: boolean }>(
    'SELECT migration_name, finished_at IS NOT NULL AS finished FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  const applied = new Set(records.map((record) => record.migration_name));
  return records.every(({ finished }) => finished) && migrations.every((migration) => applied.has(migration.path));
}

/** The migrations as the engine is given them. */
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
