import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** A Redis of a test's own. */
export interface RedisServer {
  url: string;
  /** Ends it; what it held is gone. Called again it does nothing. */
  stop(): Promise<void>;
}

/** Starts a Redis; undefined where there is none on this machine, which CI does not let pass. */
export async function startRedis(): Promise<RedisServer | undefined> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-redis-'));
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const address = ['--port', String(port), '--bind', '127.0.0.1'];
  const options = [...address, '--unixsocket', path.join(folder, 'redis.sock'), '--save', '', '--dir', folder];
  const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  const missing = once(server, 'error').then(() => 'missing' as const);
  const ended = new Promise<'ended'>((resolve) => server.once('exit', () => resolve('ended')));
  const ready = new Promise<'ready'>((resolve) => {
    server.stdout.on('data', (text: Buffer) => {
      if (text.includes('Ready to accept connections')) resolve('ready');
    });
  });
  const begun = await Promise.race([ready, missing, ended]);
  // Its port is another's.
  if (begun === 'ended') return startRedis();
  if (begun === 'ready') return { url: `redis://127.0.0.1:${port}`, stop: () => stop(server, folder) };
  if (process.env['CI']) throw new Error('redis-server is missing: install it for this test');
  return undefined;
}

async function stop(server: ChildProcess, folder: string): Promise<void> {
  if (server.exitCode === null && server.signalCode === null) {
    const exit = once(server, 'exit');
    server.kill();
    await exit;
  }
  await rm(folder, { recursive: true, force: true });
}
