import { type ChildProcess, execFile, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Finds programs by command line: another one may have a recorded PID.
 * @param folder canonical path
 */
export async function postgresProcessesOn(folder: string): Promise<number[]> {
  return process.platform === 'linux' ? byProc(folder) : byPs(folder);
}

const isPostgres = (program: string) => /^(postgres|initdb)(\.exe)?$/.test(path.basename(program));

/** A small container may lack `ps`. */
async function byProc(folder: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const matches = await Promise.all(
    ids.map(async (id) => {
      const command = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
      const [program = '', ...args] = command.split('\0');
      return isPostgres(program) && args.includes(folder) ? [Number(id)] : [];
    }),
  );
  return matches.flat();
}

async function byPs(folder: string): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,comm=,args=']).catch(() => ({ stdout: '' }));
  return stdout.split('\n').flatMap((line) => {
    const [, pid, program = '', args = ''] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return isPostgres(program) && `${args} `.includes(` ${folder} `) ? [Number(pid)] : [];
  });
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Children share a program's standard error. */
export const ended = (child: ChildProcess): Promise<unknown> => once(child, 'close').catch(() => undefined);

export function killGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) killIfAlive(process.platform === 'win32' ? pid : -pid);
}

/** @param pid negative: a process group */
export function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** PostgreSQL refuses to run as root. */
export interface Account {
  ids: { uid: number; gid: number };
  /** Whether it reaches everything needed without extra rights. */
  reachesAll: boolean;
}

/** Undefined if the service does not run as root; else the folder's owner, `postgres` or `nobody`. */
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
  throw new Error(`none of these accounts exists: ${names.join(', ')}`);
}

async function isReachable(target: string): Promise<boolean> {
  const parent = path.dirname(target);
  if (parent === target) return true;
  const entry = await stat(parent).catch(() => undefined);
  return (entry === undefined || (entry.mode & 0o001) !== 0) && isReachable(parent);
}

/**
 * If a folder above is closed to others (as /root is), gives the program only the right to pass through (`setpriv`).
 */
export function spawnAs(account: Account | undefined, program: string, args: string[], options: SpawnOptions) {
  if (!account) return spawn(program, args, options);
  // The account could read the service's secrets among the variables.
  if (account.reachesAll) return spawn(program, args, { ...options, ...account.ids, env: {} });
  const { uid, gid } = account.ids;
  const capabilities = '-all,+dac_override';
  const drop = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', `--bounding-set=${capabilities}`];
  const keep = [`--inh-caps=${capabilities}`, `--ambient-caps=${capabilities}`];
  // PostgreSQL finds its binaries with access(2), which otherwise ignores the right for other users than root.
  keep.push('--securebits=+no_setuid_fixup');
  return spawn('setpriv', [...drop, ...keep, '--', program, ...args], { ...options, env: {} });
}
