import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export interface RedisServer {
  url: string;
  /** Its data is lost. */
  kill(): Promise<void>;
  /** Keeps the address. */
  startAgain(): Promise<void>;
  /** Idempotent. */
  stop(): Promise<void>;
}

/** @returns undefined if Redis is not installed (an error in CI) */
export async function startRedis(): Promise<RedisServer | undefined> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-redis-'));
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    let server = await run(port, folder);
    // The port is taken.
    if (server === 'ended') continue;
    if (server === 'missing') {
      await rm(folder, { recursive: true, force: true });
      if (process.env['CI']) throw new Error('redis-server is missing: install it for this test');
      return undefined;
    }
    const kill = async () => {
      if (typeof server === 'string' || server.exitCode !== null || server.signalCode !== null) return;
      const exit = once(server, 'exit');
      server.kill('SIGKILL');
      await exit;
    };
    return {
      url: `redis://127.0.0.1:${port}`,
      kill,
      async startAgain() {
        server = await run(port, folder);
        if (typeof server === 'string') throw new Error(`redis-server does not come back: ${server}`);
      },
      async stop() {
        await kill();
        await rm(folder, { recursive: true, force: true });
      },
    };
  }
}

async function run(port: number, folder: string) {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const server = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => server.kill('SIGKILL'));
  const startOutcome = await new Promise<'missing' | 'ended' | undefined>((resolve) => {
    server.once('error', () => resolve('missing'));
    server.once('exit', () => resolve('ended'));
    server.stdout.on('data', (text: Buffer) => {
      if (text.includes('Ready to accept connections')) resolve(undefined);
    });
  });
  return startOutcome ?? server;
}
