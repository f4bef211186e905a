import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../kernel/files.ts';
import { log } from '../kernel/logger.ts';
import { StartError } from '../kernel/start-error.ts';
import { type Account, ended, killGroup, killIfAlive, postgresProcessesOn, spawnAs } from './processes.ts';
import { type Endpoint, loopback } from './server.ts';

/** The role that the service connects as, and the database that it owns. It is no superuser. */
export const owner = 'taskgate';

/** Connects as the owner. */
export const urlOf = ({ host, port }: Endpoint, password: string, database = owner) =>
  `postgresql://${owner}:${password}@${encodeURIComponent(host)}:${port}/${database}`;

/** May do all, and connect from nowhere: `pg_hba.conf` names the owner alone. */
const superuser = 'postgres';

/** For tests and measurements: to write past triggers, and to get the plans of statements within functions. */
const parametersForTools = [
  'session_replication_role',
  'session_preload_libraries',
  ...['log_min_duration', 'log_nested_statements', 'log_format'].map((name) => `auto_explain.${name}`),
];

/** What every folder is named like that a cluster is being made in. */
export const unfinished = 'postgres.new-';

/** A cluster that an upgrade has made and compared, and that is to take the place of the former one. */
export const upgraded = `${unfinished}upgraded`;

export interface ClusterOptions {
  dataDir: string;
  initdb: string;
  postgres: string;
  /** The account to run PostgreSQL's programs as. */
  account: Account | undefined;
  /** Whether nothing waits for the disk. */
  durable: boolean;
  /** Whether the owner may make further databases and standbys, and set {@link parametersForTools}. */
  forTools: boolean;
  signal: AbortSignal;
}

/** Has the owner's password; next to the cluster's folder. */
export const passwordFile = 'postgres-password';

export const clusterFolder = (dataDir: string) => path.join(dataDir, 'postgres');

/**
 * Puts an upgraded cluster in its place, where there is none: an upgrade was interrupted after it had put the former one aside.
 * @returns names of the files in the cluster's folder
 */
export async function finishUpgrade(dataDir: string): Promise<string[]> {
  const folder = clusterFolder(dataDir);
  const content = await readdir(folder).catch((): string[] => []);
  if (content.length > 0) return content;
  if (!(await readdir(dataDir)).includes(upgraded)) return [];
  await rename(path.join(dataDir, upgraded), folder);
  await syncFolder(dataDir);
  return readdir(folder);
}

/**
 * Makes the cluster of a data folder with the owner's role and database, where there is none. It is made under another
 * name and renamed last: a cluster is whole or not there, however the process ends.
 * @returns the owner's password
 * @throws {StartError}; the signal's reason
 */
export async function ensureCluster(options: ClusterOptions): Promise<string> {
  const { dataDir } = options;
  const folder = clusterFolder(dataDir);
  const file = path.join(dataDir, passwordFile);
  const content = await finishUpgrade(dataDir);
  await removeUnfinished(dataDir);
  if (content.length > 0) return readPassword(folder, content, file);

  // An upgrade has left that of the former cluster.
  const password = (await findPassword(file)) || randomBytes(24).toString('hex');
  await writeFile(file, `${password}\n`, { mode: 0o600, flush: true });
  const fresh = path.join(dataDir, `${unfinished}${randomBytes(8).toString('hex')}`);
  try {
    await makeCluster(fresh, password, options);
    await rename(fresh, folder);
    if (options.durable) await syncFolder(dataDir);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
  return password;
}

const findPassword = async (file: string) => (await readFile(file, 'utf8').catch(() => '')).trim();

async function readPassword(folder: string, content: string[], file: string) {
  if (!content.includes('PG_VERSION')) throw new StartError(`${folder} holds something else than a database`);
  const password = await findPassword(file);
  if (password === '') throw new StartError(`${file}, which belongs to ${folder}, is missing`);
  return password;
}

/** What a killed start left behind; programs that it had started may still be at work on it. */
async function removeUnfinished(dataDir: string) {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(unfinished)) continue;
    const folder = path.join(dataDir, name);
    // An upgrade makes a data folder under such a name.
    for (const cluster of [folder, clusterFolder(folder)]) {
      for (const pid of await postgresProcessesOn(cluster)) killIfAlive(pid);
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** Makes a folder that no other account can look into. */
export async function makeFolderFor(account: Account | undefined, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  if (account) await chown(folder, account.ids.uid, account.ids.gid);
}

async function makeCluster(folder: string, password: string, options: ClusterOptions) {
  const { account, initdb, durable, forTools } = options;
  await makeFolderFor(account, folder);
  log.debug('making the files of the database');
  await runToEnd(options, initdb, [
    ...['-D', folder, '-U', superuser, '--auth=reject', '--encoding=UTF8'],
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions'],
    ...(durable ? [] : ['--no-sync']),
  ]);
  log.debug('making the role and the database');
  // Truncates the file that initdb wrote, so that it stays the account's.
  const databases = forTools ? 'all,replication' : 'all';
  const rules = [`local ${databases} ${owner}`, `host ${databases} ${owner} ${loopback}/32`];
  await writeFile(path.join(folder, 'pg_hba.conf'), rules.map((rule) => `${rule} scram-sha-256\n`).join(''));
  // Without a server, and so without a password for the superuser.
  const statements = [
    `CREATE ROLE ${owner} LOGIN PASSWORD '${password}'`,
    `CREATE DATABASE ${owner} OWNER ${owner}`,
    // For backups, see `backup.ts`: in this database, which is not the owner's.
    `GRANT EXECUTE ON FUNCTION pg_backup_start(text, boolean), pg_backup_stop(boolean) TO ${owner}`,
    ...(forTools
      ? [
          `ALTER ROLE ${owner} CREATEDB REPLICATION`,
          `GRANT SET ON PARAMETER ${parametersForTools.join(', ')} TO ${owner}`,
        ]
      : []),
  ];
  await runStatements(options, folder, 'postgres', statements, durable ? {} : { fsync: 'off' });
}

/**
 * Runs statements as the superuser, without a server.
 * @param statements each of one line
 * @throws {StartError}; the signal's reason
 */
export async function runStatements(
  options: Pick<ClusterOptions, 'account' | 'postgres' | 'signal'>,
  folder: string,
  database: string,
  statements: readonly string[],
  settings: Record<string, string> = {},
): Promise<void> {
  const given = Object.entries({ exit_on_error: 'true', ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const input = `${statements.join('\n')}\n`;
  await runToEnd(options, options.postgres, ['--single', '-D', folder, ...given, database], input);
}

/**
 * Runs a program of PostgreSQL. On the signal, it and what it has started are killed.
 * @throws {StartError} with what the program says; the signal's reason
 */
export async function runToEnd(
  { account, signal }: Pick<ClusterOptions, 'account' | 'signal'>,
  program: string,
  args: string[],
  input = '',
): Promise<void> {
  signal.throwIfAborted();
  const child = spawnAs(account, program, args, { detached: true, stdio: ['pipe', 'ignore', 'pipe'] });
  const kill = () => killGroup(child);
  signal.addEventListener('abort', kill, { once: true });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  child.on('error', (error) => (errors += error.message));
  // A program that ends early leaves its input unread: what it said is the error to tell.
  child.stdin?.on('error', () => undefined).end(input);
  await ended(child);
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (child.exitCode !== 0) {
    throw new StartError(`the database cannot be made: ${errors.trim().replaceAll(/\s*\n\s*/g, ' ')}`);
  }
}
