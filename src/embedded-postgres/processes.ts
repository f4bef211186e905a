import { type ChildProcess, execFile, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Ids of the living programs of PostgreSQL that were started on the folder, found by their command lines: a PID alone
 * may have gone to another program since it was written down.
 * @param folder its canonical path, as the programs are given it
 */
export async function postgresProcessesOn(folder: string): Promise<number[]> {
  return process.platform === 'linux' ? byProc(folder) : byPs(folder);
}

const isPostgres = (program: string) => /^(postgres|initdb)(\.exe)?$/.test(path.basename(program));

/** Linux needs no program for it, which a small container may lack, and tells arguments apart. */
async function byProc(folder: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      // It may have ended by now.
      const command = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
      const [program = '', ...args] = command.split('\0');
      return isPostgres(program) && args.includes(folder) ? [Number(id)] : [];
    }),
  );
  return found.flat();
}

async function byPs(folder: string): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,comm=,args=']).catch(() => ({ stdout: '' }));
  return stdout.split('\n').flatMap((line) => {
    const [, pid, program = '', args = ''] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return isPostgres(program) && `${args} `.includes(` ${folder} `) ? [Number(pid)] : [];
  });
}

/** Whether there is such a process, whosever it is. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Settles once a program and all that it started, which share its standard error, have ended. */
export const ended = (child: ChildProcess): Promise<unknown> => once(child, 'close').catch(() => undefined);

/** Kills a program that was started detached, with what it started itself. */
export function killGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) killIfAlive(process.platform === 'win32' ? pid : -pid);
}

/** @param pid of a process; negative: of a group of them */
export function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** The account that PostgreSQL runs as where the service runs as root, which PostgreSQL refuses. */
export interface Account {
  ids: { uid: number; gid: number };
  /** Whether the account can reach the program and its folder by itself. */
  reachesAll: boolean;
}

/**
 * The account to run PostgreSQL as: undefined where the service is not root; else the owner that the
 * folder has already, else `postgres` where that account exists, else `nobody`.
 * @param needed paths that the account must be able to reach
 */
export async function unprivilegedAccount(folder: string, needed: string[]): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(folder).catch(() => undefined);
  const ids = owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : await idsOf('postgres', 'nobody');
  const reachable = await Promise.all(needed.map(isReachable));
  return { ids, reachesAll: reachable.every(Boolean) };
}

async function idsOf(...names: string[]): Promise<Account['ids']> {
  for (const name of names) {
    const ask = async (option: string) => Number((await run('id', [option, name])).stdout);
    const ids = await Promise.all([ask('-u'), ask('-g')]).catch(() => undefined);
    if (ids) return { uid: ids[0], gid: ids[1] };
  }
  throw new Error(`there is none of the accounts ${names.join(', ')}`);
}

/** Whether anybody may pass through every folder above the path. */
async function isReachable(target: string): Promise<boolean> {
  const parent = path.dirname(target);
  if (parent === target) return true;
  const entry = await stat(parent).catch(() => undefined);
  return (entry === undefined || (entry.mode & 0o001) !== 0) && isReachable(parent);
}

/**
 * Starts a program as the account. If a folder above the program or its data is closed to others (as /root is), the
 * program is given the right to pass through, and nothing else of root's: that takes `setpriv` of util-linux.
 */
export function spawnAs(account: Account | undefined, program: string, args: string[], options: SpawnOptions) {
  if (!account) return spawn(program, args, options);
  if (account.reachesAll) return spawn(program, args, { ...options, ...account.ids });
  const { uid, gid } = account.ids;
  const capabilities = '-all,+dac_override';
  const drop = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', `--bounding-set=${capabilities}`];
  const keep = [`--inh-caps=${capabilities}`, `--ambient-caps=${capabilities}`];
  // access(2), by which PostgreSQL looks for its own binaries, would put the right aside for a user that is not root.
  keep.push('--securebits=+no_setuid_fixup');
  return spawn('setpriv', [...drop, ...keep, '--', program, ...args], options);
}
