import { chmod, mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { processesIn } from '../kit/process.ts';
import type { Supervisor } from '../kit/supervisor.ts';
import type { Place } from '../load/run.ts';

export interface Installation extends Place {
  readonly services: readonly Supervisor[];
  postmasters: () => Promise<number[]>;
  /** Stops everything. @returns problems at the end */
  stop(): Promise<string[]>;
}

/** PostgreSQL's account must be able to enter it. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-faults-'));
  await chmod(folder, 0o711);
  return folder;
}

export async function postmastersIn(folder: string): Promise<number[]> {
  const isServer = (args: string[]) => path.basename(args[0] ?? '') === 'postgres' && args.includes('-D');
  const found = (await processesIn(folder)).filter(({ command }) => isServer(command.split('\0')));
  return found.map(({ pid }) => pid);
}

/** Some of the processes may have ended. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Stops services as a supervisor does. @returns unexpected exit codes */
export async function stopServices(services: readonly Supervisor[]): Promise<string[]> {
  const codes = await Promise.all(services.map((service) => service.stop()));
  return codes.filter((code) => code !== 0).map((code) => `a service that was told to stop ended with ${code}`);
}

/** Kills processes that are left in the folder after the stop. @returns their command lines */
export async function endRemaining(folder: string): Promise<string[]> {
  const remaining = await processesIn(folder);
  signalAll(
    remaining.map(({ pid }) => pid),
    'SIGKILL',
  );
  return remaining.map(({ command }) => `left behind: ${command.replaceAll('\0', ' ')}`);
}
