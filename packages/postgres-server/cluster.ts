import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { because, ignoreGone, log, StartError, syncFolder } from '@taskgate/base';
import { type Account, ended, killGroup, killIfAlive, postgresProcessesOn, spawnAs } from './processes.ts';
import { type Endpoint, loopback } from './server.ts';

/** Role, which is no superuser, and database. */
export const owner = 'taskgate';

export const urlOf = ({ host, port }: Endpoint, password: string, database = owner) =>
  `postgresql://${owner}:${password}@${encodeURIComponent(host)}:${port}/${database}`;

/** `pg_hba.conf` lists only the owner, so this role cannot connect. */
const superuser = 'postgres';

/** Parameters to write without triggers, and to log the plans of statements in functions. */
const parametersForTools =
  'session_replication_role, session_preload_libraries, ' +
  'auto_explain.log_min_duration, auto_explain.log_nested_statements, auto_explain.log_format';

export const unfinished = 'postgres.new-';

/** Compared with the former cluster. */
export const upgraded = `${unfinished}upgraded`;

export interface ClusterOptions {
  dataDir: string;
  initdb: string;
  postgres: string;
  account: Account | undefined;
  durable: boolean;
  /** Lets the owner create databases and standbys, and set {@link parametersForTools}. */
  forTools: boolean;
  signal: AbortSignal;
}

export const passwordFile = 'postgres-password';

/** Function in the database `postgres` that keeps the log until the session ends: the owner may make no slots itself. */
export const keepLog = 'keep_log';
const newSlot = "pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)";

export const clusterFolder = (dataDir: string) => path.join(dataDir, 'postgres');

/**
 * Completes an upgrade that was interrupted after it had moved the former cluster away.
 * @returns names of the cluster's files
 * @throws {StartError} if no cluster can be renamed to its folder
 */
export async function finishUpgrade(dataDir: string): Promise<string[]> {
  const folder = clusterFolder(dataDir);
  const content = await readdir(folder).catch((): string[] => []);
  if (content.length > 0) return content;
  const unusable = `${folder} must be absent or an empty folder, no link or mount point, until it has a database`;
  await rmdir(folder).catch(ignoreGone).catch(because(unusable));
  if (!(await readdir(dataDir)).includes(upgraded)) return [];
  await rename(path.join(dataDir, upgraded), folder);
  await syncFolder(dataDir);
  return readdir(folder);
}

/**
 * Creates a missing cluster. It is renamed last, so it is complete or absent.
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

  // An upgrade keeps the former password.
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
  if (!content.includes('PG_VERSION')) throw new StartError(`${folder} contains something other than a database`);
  const password = await findPassword(file);
  if (password === '') throw new StartError(`${file}, which belongs to ${folder}, is missing`);
  return password;
}

/** Programs of a killed start may still work on its files. */
export async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(unfinished)) continue;
    const folder = path.join(dataDir, name);
    // An upgrade's unfinished folder is a whole data folder.
    for (const cluster of [folder, clusterFolder(folder)]) {
      for (const pid of await postgresProcessesOn(cluster)) killIfAlive(pid);
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

export async function makeFolderFor(account: Account | undefined, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  if (account) await chown(folder, account.ids.uid, account.ids.gid);
}

async function makeCluster(folder: string, password: string, options: ClusterOptions) {
  const { account, initdb, durable, forTools } = options;
  await makeFolderFor(account, folder);
  log.debug('creating the files of the database');
  await runToEnd(options, initdb, [
    ...['-D', folder, '-U', superuser, '--auth=reject', '--encoding=UTF8'],
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions'],
    ...(durable ? [] : ['--no-sync']),
  ]);
  log.debug('creating the role and the database');
  // Truncates initdb's file, which keeps its owner.
  const databases = forTools ? 'all,replication' : 'all';
  const rules = [`local ${databases} ${owner}`, `host ${databases} ${owner} ${loopback}/32`];
  await writeFile(path.join(folder, 'pg_hba.conf'), rules.map((rule) => `${rule} scram-sha-256\n`).join(''));
  // Without a server, the superuser needs no password.
  const statements = [
    `CREATE ROLE ${owner} LOGIN PASSWORD '${password}'`,
    `CREATE DATABASE ${owner} OWNER ${owner}`,
    `CREATE FUNCTION ${keepLog}() RETURNS name LANGUAGE sql SECURITY DEFINER RETURN (SELECT slot_name FROM ${newSlot})`,
    `GRANT EXECUTE ON FUNCTION pg_backup_start(text, boolean), pg_backup_stop(boolean) TO ${owner}`,
    ...(forTools
      ? [`ALTER ROLE ${owner} CREATEDB REPLICATION`, `GRANT SET ON PARAMETER ${parametersForTools} TO ${owner}`]
      : []),
  ];
  await runStatements(options, folder, 'postgres', statements, durable ? {} : { fsync: 'off' });
}

/**
 * As the superuser, without a server.
 * @param statements one line each
 * @throws {StartError}; the signal's reason
 */
export async function runStatements(
  options: Pick<ClusterOptions, 'account' | 'postgres' | 'signal'>,
  folder: string,
  database: string,
  statements: readonly string[],
  settings: Record<string, string> = {},
): Promise<void> {
  const settingArgs = Object.entries({ exit_on_error: 'true', ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const input = `${statements.join('\n')}\n`;
  await runToEnd(options, options.postgres, ['--single', '-D', folder, ...settingArgs, database], input);
}

/**
 * The signal kills the program with its children.
 * @throws {StartError} with the program's output; the signal's reason
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
  // If a program ends early, its output has the error.
  child.stdin?.on('error', () => undefined).end(input);
  await ended(child);
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (child.exitCode !== 0) {
    throw new StartError(`the database cannot be created: ${errors.trim().replaceAll(/\s*\n\s*/g, ' ')}`);
  }
}
