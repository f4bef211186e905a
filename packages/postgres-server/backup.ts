import {
  chmod,
  chown,
  copyFile,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { because, ignoreGone, makeFolder, StartError, syncFolder } from '@taskgate/base';
import { checksumFile, contentOf, verifyChecksums, writeChecksums } from './checksums.ts';
import { clusterFolder, finishUpgrade, keepLog, passwordFile, removeUnfinished, unfinished, urlOf } from './cluster.ts';
import { holdFolder, startEmbeddedDatabase } from './embedded.ts';
import { type Account, unprivilegedAccount } from './processes.ts';
import { endpointIn } from './server.ts';

/** A starting server creates these (PostgreSQL documentation, Making a Base Backup). */
const leftOut = /^(postmaster\.(pid|opts)|\.s\.PGSQL\..*|pg_internal\.init.*|pgsql_tmp.*|backup_label\.old)$/;
const emptied = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];

interface Backup {
  bytes: number;
  rows: number;
}

/**
 * Backs up a data folder, whether or not a service runs on it. The backup gets its database last, after a separate
 * server has read every row.
 * @param folder absent or empty
 * @throws {StartError}; the signal's reason, after everything unfinished has ended and is removed
 */
export async function backUp(dataDir: string, folder: string, signal: AbortSignal): Promise<Backup> {
  await requireApart(folder, dataDir);
  const isNew = await requireEmpty(folder);
  // Not beside it: the folder may be a mount point, or the only one that the account may write to.
  const staged = path.join(folder, `unfinished-${process.pid}`);
  try {
    await makeFolder(staged, 0o711);
    // Two that begin at once would mix their files.
    if ((await contentOf(folder)).length > 1) throw new StartError(`${folder} is not empty`);
    // The database has another account.
    if (process.getuid?.() === 0) await chmod(folder, 0o711);
    const database = await runningDatabase(dataDir, signal);
    await copyCluster(dataDir, staged, database.url, signal).finally(() => database.stop());
    await copyRest(dataDir, staged);
    const rows = await readAll(staged, signal);
    await writeChecksums(staged, signal);
    const bytes = await sizeOf(staged);
    const others = (await readdir(staged)).filter((name) => name !== path.basename(clusterFolder(staged)));
    for (const name of others) await rename(path.join(staged, name), path.join(folder, name));
    await rename(clusterFolder(staged), clusterFolder(folder));
    await syncFolder(folder);
    await syncFolder(path.dirname(folder));
    return { bytes, rows };
  } finally {
    await rm(staged, { recursive: true, force: true });
    // Fails with a backup in it.
    if (isNew) await rmdir(folder).catch(() => undefined);
  }
}

/** Checks a database before it is used. @throws {StartError} */
type Check = (client: pg.Client) => Promise<void>;

/**
 * Restores a backup, after its checksums were compared, and a separate server has read every row of a copy.
 * @param check of the copy, before its rows are read
 * @returns the number of rows
 * @throws {StartError}, with nothing restored; the signal's reason, with nothing restored either
 */
export async function restore(
  folder: string,
  dataDir: string,
  { check, signal }: { check: Check; signal: AbortSignal },
): Promise<number> {
  const content = await readdir(clusterFolder(folder)).catch(because(`${folder} is not a backup that can be read`));
  if (!content.includes('PG_VERSION')) throw new StartError(`${folder} is not a backup`);
  await makeFolder(dataDir);
  // A starting service would create an empty database.
  const canonical = await realpath(dataDir);
  const release = await holdFolder(canonical);
  try {
    if ((await finishUpgrade(canonical)).length > 0) {
      throw new StartError(`DATA_DIR ${dataDir} has a database already: move the folder away first`);
    }
    await removeUnfinished(canonical);
    await verifyChecksums(folder, signal);
    // If killed, the next start or restore removes it.
    const staged = path.join(dataDir, `${unfinished}${process.pid}`);
    try {
      await makeFolder(staged, 0o711);
      await copyLike(path.join(folder, passwordFile), path.join(staged, passwordFile)).catch(ignoreGone);
      const account = await unprivilegedAccount(clusterFolder(folder), []);
      await copyTree(clusterFolder(folder), clusterFolder(staged), () => isGoingOn(signal), account?.ids);
      const rows = await readAll(staged, signal, check);
      await copyRest(folder, dataDir);
      await rename(clusterFolder(staged), clusterFolder(dataDir));
      await syncFolder(dataDir);
      return rows;
    } finally {
      await rm(staged, { recursive: true, force: true });
    }
  } finally {
    release();
  }
}

async function requireApart(folder: string, dataDir: string) {
  const [inner, outer] = await Promise.all([realPathOf(folder), realPathOf(dataDir)]);
  if (`${inner}${path.sep}`.startsWith(`${outer}${path.sep}`)) {
    throw new StartError(`${folder} is within DATA_DIR: name a folder outside of it`);
  }
}

const realPathOf = (file: string): Promise<string> =>
  realpath(file).catch(async () => path.join(await realPathOf(path.dirname(file)), path.basename(file)));

/** @returns whether it is absent */
async function requireEmpty(folder: string): Promise<boolean> {
  const content = await contentOf(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new StartError(`${folder} cannot be used for a backup (${error.code})`);
  });
  if (content !== undefined && content.length > 0) throw new StartError(`${folder} is not empty`);
  return content === undefined;
}

async function runningDatabase(dataDir: string, signal: AbortSignal): Promise<{ url: string; stop(): Promise<void> }> {
  const read = async (...names: string[]) =>
    (await readFile(path.join(dataDir, ...names), 'utf8').catch(ignoreGone)) ?? '';
  if (!(await read('postgres', 'PG_VERSION'))) throw new StartError(`DATA_DIR ${dataDir} has no embedded database`);
  const password = (await read(passwordFile)).trim();
  const url = urlOf(endpointIn(await read('postgres', 'postmaster.pid')), password, 'postgres');
  const isRunning = await withClient(url, signal, () => Promise.resolve(true)).catch(() => false);
  if (isRunning) return { url, stop: () => Promise.resolve() };
  const database = await startEmbeddedDatabase(dataDir, { signal });
  return { url: urlOf(database.endpoint, password, 'postgres'), stop: () => database.stop() };
}

/** @throws the signal's reason */
export async function withClient<Result>(
  url: string,
  signal: AbortSignal,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, application_name: 'taskgate-backup' });
  client.on('error', () => undefined);
  await client.connect();
  // A running statement fails.
  const end = () => void client.end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await work(client);
  } finally {
    signal.removeEventListener('abort', end);
    await client.end();
    signal.throwIfAborted();
  }
}

/** The files are copied at different moments; the log makes them consistent. */
async function copyCluster(dataDir: string, target: string, url: string, signal: AbortSignal): Promise<void> {
  const [from, to] = [clusterFolder(dataDir), clusterFolder(target)];
  await withClient(url, signal, async (client) => {
    // Otherwise a checkpoint during the backup removes log that it needs.
    await client.query(`SELECT ${keepLog}(); SELECT pg_backup_start('taskgate', true)`);
    await copyTree(from, to, (relative) => {
      const [top = '', ...rest] = relative.split(path.sep);
      return isGoingOn(signal) && !leftOut.test(path.basename(relative)) && !(emptied.includes(top) && rest.length > 0);
    });
    const { rows } = await client.query<{ label: string; last: string }>(
      'SELECT labelfile AS label, pg_walfile_name(lsn) AS last FROM pg_backup_stop(false)',
    );
    const [{ label, last } = { label: '', last: '' }] = rows;
    const [, first = ''] = /^START WAL LOCATION: \S+ \(file (\w+)\)/m.exec(label) ?? [];
    await copyLog(path.join(from, 'pg_wal'), path.join(to, 'pg_wal'), first, last);
    await writeLike(path.join(to, 'PG_VERSION'), path.join(to, 'backup_label'), label);
  });
}

/** Names sort in the log's order. */
async function copyLog(from: string, to: string, first: string, last: string): Promise<void> {
  const segments = (await readdir(from)).filter((name) => /^[\dA-F]{24}$/.test(name) && name >= first && name <= last);
  if (!segments.includes(first) || !segments.includes(last)) {
    throw new StartError('the write-ahead log that this backup needs was removed while it ran: try again');
  }
  for (const name of segments) await copyLike(path.join(from, name), path.join(to, name));
}

/** Except former databases (docs/operations.md). */
const notCopied = new RegExp(String.raw`^(postgres$|postgres\.|postgres-before|\.probe-|${checksumFile}$)`);

async function copyRest(from: string, to: string): Promise<void> {
  await giveTo(await stat(from), to);
  for (const name of await contentOf(from)) {
    if (!notCopied.test(name)) await copyTree(path.join(from, name), path.join(to, name), () => true).catch(ignoreGone);
  }
}

/** @throws the signal's reason */
function isGoingOn(signal: AbortSignal): boolean {
  signal.throwIfAborted();
  return true;
}

/**
 * Syncs each file, and skips files that disappear. Only the owner may use the copy: on its way, a backup may have become
 * readable for others.
 * @param owner default: as before
 */
async function copyTree(
  from: string,
  to: string,
  isWanted: (relative: string) => boolean,
  owner?: Owner,
  relative = '',
): Promise<void> {
  const [source, target] = [path.join(from, relative), path.join(to, relative)];
  // A folder, such as pg_wal, may be a link to another disk.
  const stats = await stat(source);
  if (stats.isDirectory()) {
    await makeFolder(target, 0o700);
    await giveTo(owner ?? stats, target);
    for (const name of await readdir(source)) {
      const inner = path.join(relative, name);
      if (isWanted(inner)) await copyTree(from, to, isWanted, owner, inner).catch(ignoreGone);
    }
    await syncFolder(target);
  } else await copyLike(source, target, owner);
}

type Owner = Account['ids'];

/** Only root can change owners. */
async function giveTo({ uid, gid }: Owner, target: string): Promise<void> {
  if (process.getuid?.() === 0) await chown(target, uid, gid);
}

async function copyLike(source: string, target: string, owner?: Owner): Promise<void> {
  const { mode, uid, gid } = await stat(source);
  await copyFile(source, target);
  await chmod(target, mode & 0o700);
  await giveTo(owner ?? { uid, gid }, target);
  const handle = await open(target, 'r');
  await handle.sync().finally(() => handle.close());
}

async function writeLike(like: string, target: string, content: string): Promise<void> {
  await writeFile(target, content, { mode: 0o600, flush: true });
  await giveTo(await stat(like), target);
}

/** Reading all rows checks the pages of all tables. */
async function readAll(dataDir: string, signal: AbortSignal, check?: Check): Promise<number> {
  const database = await startEmbeddedDatabase(dataDir, { signal });
  try {
    return await withClient(database.url, signal, async (client) => {
      await check?.(client);
      const { rows: tables } = await client.query<{ name: string }>(
        "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'public'",
      );
      let sum = 0;
      for (const { name } of tables) {
        const { rows } = await client.query<{ count: number }>(
          `SELECT count(row::text)::int AS count FROM ${name} AS row`,
        );
        sum += rows[0]?.count ?? 0;
      }
      return sum;
    });
  } finally {
    await database.stop();
  }
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
