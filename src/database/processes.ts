import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
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
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
