import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { benchFolder } from './paths.js';
import { sessionSecret } from './session.js';

/**
 * A contender in a process of its own.
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} url origin
 * @property {string} databaseUrl
 * @property {number} pid
 * @property {number} readyMs from its start to its ready line
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop default: SIGTERM
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
  const startedAt = performance.now();
  const child = spawn(node, args, {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: '0',
      NODE_ENV: 'production',
      MAIL_TO_FILES: 'on',
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      ...env,
    },
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
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it was ready: ${output}`)));
  });
  return {
    name,
    url,
    databaseUrl,
    pid: child.pid ?? 0,
    readyMs: performance.now() - startedAt,
    async stop(signal = 'SIGTERM') {
      const ended = once(child, 'exit');
      if (child.exitCode === null && child.kill(signal)) await ended;
      process.off('exit', end);
    },
  };
}

/**
 * Starts the built service as users do.
 * @param {string} service its folder
 * @param {string} databaseUrl empty: the embedded PostgreSQL
 * @param {object} [options]
 * @param {string} [options.name]
 * @param {string[]} [options.nodeArgs]
 * @param {string} [options.dataDir] default: a temporary folder
 * @param {string} [options.port] default: a free port
 * @returns {Promise<Contender>}
 */
export async function startTaskgate(service, databaseUrl, options = {}) {
  const { name = 'taskgate', nodeArgs = [], dataDir, port = '0' } = options;
  const folder = dataDir ?? (await mkdtemp(path.join(os.tmpdir(), 'taskgate-bench-data-')));
  const removeFolder = async () => {
    if (dataDir === undefined) await rm(folder, { recursive: true, force: true });
    process.off('exit', removeAtEnd);
  };
  const removeAtEnd = () => {
    if (dataDir === undefined) rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', removeAtEnd);
  const env = {
    ...{ PORT: port, RATE_LIMITS: 'off', LOG_LEVEL: 'error', SESSION_SECRET: sessionSecret, DATA_DIR: folder },
    // The endpoints of webhooks are in the benchmark.
    OUTGOING_NETWORKS: '127.0.0.0/8',
  };
  const args = [...nodeArgs, '--enable-source-maps', 'dist/src/process/main.js'];
  try {
    const contender = await start(name, args, env, databaseUrl, { cwd: service });
    return { ...contender, stop: (signal) => contender.stop(signal).finally(removeFolder) };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

/**
 * A hand-written server on the service's generated Prisma client.
 * @param {string} service
 * @param {string} databaseUrl
 */
export const startDirect = (service, databaseUrl) =>
  start('direct', ['direct/main.js'], { SESSION_SECRET: sessionSecret, SERVICE: service }, databaseUrl);

/**
 * The lower bound of a response's cost: PostgreSQL writes the JSON.
 * @param {string} databaseUrl
 */
export const startLimit = (databaseUrl) => start('limit', ['limit/main.js'], {}, databaseUrl);

const postgraphileFolder = path.join(benchFolder, 'postgraphile');

/**
 * PostGraphile with the Node of its package. It is a separate package, installed on demand, which Node 20 would refuse.
 * @param {string} databaseUrl
 */
export async function startPostgraphile(databaseUrl) {
  const node = path.join(postgraphileFolder, 'node_modules/.bin/node');
  const isInstalled = await access(node).then(
    () => true,
    () => false,
  );
  // `npm run` passes on the service's npm settings, which require packages to support the running Node.
  if (!isInstalled) await promisify(execFile)('npm', ['ci', '--engine-strict=false'], { cwd: postgraphileFolder });
  const env = { GRAPHILE_ENV: 'production' };
  return start('postgraphile', ['main.js'], env, databaseUrl, { node, cwd: postgraphileFolder });
}
