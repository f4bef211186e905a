import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { benchFolder } from './paths.js';
import { sessionSecret } from './session.js';

/**
 * A contender that runs as a process of its own.
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} url origin
 * @property {string} databaseUrl
 * @property {number} pid
 * @property {number} readyMs from its start to its ready line
 * @property {() => Promise<void>} stop
 */

/**
 * Starts a program and waits for its line `… ready at URL`.
 * @param {string} name
 * @param {string[]} args of node
 * @param {Record<string, string>} env
 * @param {string} databaseUrl
 * @returns {Promise<Contender>}
 */
async function start(name, args, env, databaseUrl, { node = process.execPath, cwd = benchFolder } = {}) {
  const began = performance.now();
  const child = spawn(node, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', DATABASE_URL: databaseUrl, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  let output = '';
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const ready = /ready at (\S+)/.exec(output);
      if (ready) resolve(ready[1]);
    });
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it was ready: ${output}`)));
  });
  return {
    name,
    url,
    databaseUrl,
    pid: child.pid ?? 0,
    readyMs: performance.now() - began,
    async stop() {
      const ended = once(child, 'exit');
      if (child.exitCode === null && child.kill('SIGTERM')) await ended;
      process.off('exit', end);
    },
  };
}

/**
 * The built service, started as its users start it.
 * @param {string} service its folder
 * @param {string} databaseUrl
 * @param {string[]} nodeArgs
 */
export async function startTaskgate(service, databaseUrl, nodeArgs = []) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'taskgate-bench-data-'));
  const env = { RATE_LIMITS: 'off', LOG_LEVEL: 'warn', SESSION_SECRET: sessionSecret, DATA_DIR: dataDir };
  const args = [...nodeArgs, '--enable-source-maps', 'dist/src/main.js'];
  const contender = await start('taskgate', args, env, databaseUrl, { cwd: service });
  return {
    ...contender,
    async stop() {
      await contender.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * What a team would write by hand; it uses the service's generated Prisma client.
 * @param {string} service
 * @param {string} databaseUrl
 */
export const startDirect = (service, databaseUrl) =>
  start('direct', ['direct/main.js'], { SESSION_SECRET: sessionSecret, SERVICE: service }, databaseUrl);

/**
 * The least that an answer can cost: PostgreSQL writes the JSON.
 * @param {string} databaseUrl
 */
export const startLimit = (databaseUrl) => start('limit', ['limit/main.js'], {}, databaseUrl);
