import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.ts';
import { nobody } from './process.ts';

/** A PgBouncer in transaction mode. */
export interface PgBouncer {
  url: string;
  close(): Promise<void>;
}

/**
 * @param settings additional lines of the configuration
 * @returns undefined if PgBouncer is not installed (an error in CI)
 */
export async function startPgBouncer(databaseUrl: string, settings: string[] = []): Promise<PgBouncer | undefined> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-pgbouncer-'));
  const ownPort = await freePort();
  const file = path.join(folder, 'pgbouncer.ini');
  const database = pathname.slice(1);
  const lines = [
    '[databases]',
    `${database} = host=${hostname} port=${port} dbname=${database} user=${username} password=${password}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${ownPort}`, 'unix_socket_dir =', 'auth_type = any'],
    ...['pool_mode = transaction', 'default_pool_size = 6', 'max_client_conn = 500', ...settings],
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  await Promise.all([chmod(folder, 0o755), chmod(file, 0o644)]);
  const server = spawn('pgbouncer', [file], { ...nobody, stdio: ['ignore', 'ignore', 'pipe'] });
  const outputLines: string[] = [];
  const started = new Promise<boolean>((resolve) => {
    createInterface(server.stderr).on('line', (line) => {
      outputLines.push(line);
      if (line.includes('process up')) resolve(true);
    });
    server.once('error', () => resolve(false));
    server.once('exit', () => resolve(false));
  });
  const close = async () => {
    if (server.exitCode === null && server.kill('SIGTERM')) await once(server, 'exit');
    await rm(folder, { recursive: true, force: true });
  };
  if (await started) return { url: `postgresql://taskgate@127.0.0.1:${ownPort}/${database}`, close };
  await rm(folder, { recursive: true, force: true });
  if (server.pid !== undefined) throw new Error(`pgbouncer does not start: ${outputLines.join('\n')}`);
  if (process.env['CI']) throw new Error('pgbouncer is missing: install it for this test');
  return undefined;
}
