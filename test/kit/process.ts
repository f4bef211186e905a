import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { withServerLock } from './postgres.ts';
import { withTimeout } from './until.ts';

export interface ServiceProcess {
  /** Undefined before the ready line, and if the process ends without one. */
  readonly url: string | undefined;
  pid: number;
  output(): string;
  errors(): string;
  /** Waits for a match in standard error. */
  untilLogged(pattern: RegExp): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Closes the read ends of its output pipes. */
  closeOutput(): void;
  /** Exit code or signal. */
  ended: Promise<number | string>;
}

/** Ids for a program without the rights of root. Empty if the tests do not run as root. */
export const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Environment without any configuration of the service. */
const baseEnvironment = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  PORT: '0',
  SHUTDOWN_DELAY_MS: '0',
};

/** Rebuilds the service and its packages if a source is newer. One test file does so at a time. */
export async function buildService(): Promise<void> {
  await withServerLock(async () => {
    const built = await stat(path.join(root, 'dist/src/process/main.js')).catch(() => undefined);
    if (built && built.mtimeMs > (await newestSource())) return;
    await run(process.execPath, ['node_modules/.bin/tsc', '-b', 'tsconfig.build.json', '--noCheck'], {
      cwd: root,
    });
  });
}

async function newestSource(): Promise<number> {
  const entries = await Promise.all(
    ['src', 'rest', 'mcp', 'packages'].map((folder) =>
      readdir(path.join(root, folder), { recursive: true, withFileTypes: true }),
    ),
  );
  const files = entries
    .flat()
    .filter((entry) => entry.isFile() && !/\bpackages\b.*\b(dist|test)\b/.test(entry.parentPath));
  const times = await Promise.all(
    files.map(async (file) => (await stat(path.join(file.parentPath, file.name))).mtimeMs),
  );
  return Math.max(...times);
}

const ownCommand = [process.execPath, '--enable-source-maps', 'dist/src/process/main.js'];
const ready = /^Taskgate ready at (\S+)$/m;

/**
 * Waits for the ready line or the end.
 * @param command Default: the `start` script's.
 */
export async function spawnService(variables: Record<string, string>, command?: string[]): Promise<ServiceProcess> {
  const service = await launchService(variables, command);
  await Promise.race([service.ready, service.ended]);
  return service;
}

export async function launchService(
  variables: Record<string, string>,
  command: string[] = ownCommand,
): Promise<ServiceProcess & { ready: Promise<void> }> {
  await buildService();
  return launchIn(root, variables, command);
}

/** Starts a built service without waiting. */
export function launchIn(
  folder: string,
  variables: Record<string, string>,
  [program = '', ...args]: string[],
): ServiceProcess & { ready: Promise<void> } {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...baseEnvironment, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const output = collect(child.stdout);
  const errors = collect(child.stderr);
  const service = {
    get url() {
      return ready.exec(output.text())?.[1];
    },
    pid: child.pid ?? 0,
    output: output.text,
    errors: errors.text,
    untilLogged: (pattern: RegExp) => withTimeout(`${pattern} on standard error`, errors.says(pattern)),
    signal: (name: NodeJS.Signals) => void child.kill(name),
    closeOutput() {
      child.stdout.destroy();
      child.stderr.destroy();
    },
    ready: output.says(ready),
    ended,
  };
  launchedServices.push(service);
  runningChildren.add(child);
  child.once('exit', () => runningChildren.delete(child));
  return service;
}

const launchedServices: ServiceProcess[] = [];

const runningChildren = new Set<ChildProcess>();
process.once('exit', () => runningChildren.forEach((child) => child.kill('SIGKILL')));

export async function endServices(signal: NodeJS.Signals): Promise<void> {
  for (const service of launchedServices.splice(0)) {
    service.signal(signal);
    await service.ended;
  }
}

function collect(stream: ChildProcess['stdout']) {
  let text = '';
  stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    text: () => text,
    says: (pattern: RegExp) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (!pattern.test(text)) return;
          stream?.off('data', check);
          resolve();
        };
        stream?.on('data', check);
        check();
      }),
  };
}

export interface RunningProcess {
  pid: number;
  /** Arguments end with NUL. Processes of PostgreSQL have a title instead. */
  command: string;
}

/** Processes with the folder in their command line or as working directory. */
export async function processesIn(folder: string): Promise<RunningProcess[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(
    ids.map(async (id) => {
      const command = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
      const workingDirectory = await readlink(`/proc/${id}/cwd`).catch(() => '');
      return { pid: Number(id), command, isInFolder: command.includes(folder) || workingDirectory.startsWith(folder) };
    }),
  );
  return all.filter(({ isInFolder }) => isInFolder).map(({ pid, command }) => ({ pid, command }));
}

export const processesOf = async (folder: string): Promise<string[]> =>
  (await processesIn(folder)).map(({ command }) => command);

export function dataFolders() {
  const createdFolders: string[] = [];
  return {
    async make(): Promise<string> {
      const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-process-'));
      createdFolders.push(folder);
      return folder;
    },
    async remove(): Promise<void> {
      await Promise.all(createdFolders.map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}

/** Runs `work` on a service started with `npm start`, then ends it. Prints a failure with the service's standard error, and sets the exit code. */
export async function runWithService(
  folder: string,
  variables: Record<string, string>,
  work: (service: ServiceProcess, dataDir: string) => Promise<void>,
): Promise<void> {
  const folders = dataFolders();
  const dataDir = await folders.make();
  const service = launchIn(folder, { DATA_DIR: dataDir, ...variables }, ['npm', 'start', '--silent']);
  try {
    await Promise.race([service.ready, service.ended]);
    if (service.url !== undefined) return await work(service, dataDir);
    console.error(service.errors().trimEnd());
    process.exitCode = 1;
  } catch (error) {
    console.error(error, service.errors());
    process.exitCode = 1;
  } finally {
    service.signal('SIGTERM');
    await service.ended;
    await folders.remove();
  }
}
