import { chmod, mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { processesIn } from '../kit/process.ts';
import type { Entrance } from '../kit/service.ts';
import type { Supervisor } from '../kit/supervisor.ts';
import type { RunSql } from '../soak/checks.ts';
import type { FindService } from '../soak/connection.ts';

/** What faults are injected into: services under supervision, and what they need. */
export interface Installation {
  readonly services: readonly Supervisor[];
  /** Where users sign up, and get their mails. */
  entrance: () => Promise<Entrance>;
  /** Gives clients the address of a running service. */
  readonly find: FindService;
  /** Runs a statement on the database, past all that may fail before it. */
  readonly sql: RunSql;
  /** Process ids of the database servers that run for it. */
  postmasters: () => Promise<number[]>;
  /** Ends all. @returns what is not as it should be at an end */
  stop(): Promise<string[]>;
}

/** A folder of its own, which the account that PostgreSQL runs as can pass through. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-faults-'));
  await chmod(folder, 0o711);
  return folder;
}

/** Process ids of the database servers that run below the folder. */
export async function postmastersIn(folder: string): Promise<number[]> {
  const isServer = (args: string[]) => path.basename(args[0] ?? '') === 'postgres' && args.includes('-D');
  const found = (await processesIn(folder)).filter(({ command }) => isServer(command.split('\0')));
  return found.map(({ pid }) => pid);
}

/** Sends a signal to processes, some of which may have ended by now. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Has services stop as a supervisor does. @returns what they did else */
export async function stopServices(services: readonly Supervisor[]): Promise<string[]> {
  const codes = await Promise.all(services.map((service) => service.stop()));
  return codes.filter((code) => code !== 0).map((code) => `a service that was told to stop ended with ${code}`);
}

/** Ends what still runs in the folder, to be called once all has been stopped. @returns what that was */
export async function endLeft(folder: string): Promise<string[]> {
  const left = await processesIn(folder);
  signalAll(
    left.map(({ pid }) => pid),
    'SIGKILL',
  );
  return left.map(({ command }) => `left behind: ${command.replaceAll('\0', ' ')}`);
}
