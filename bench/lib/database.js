import { rmSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { serviceModule } from './paths.js';

/**
 * A temporary PostgreSQL.
 * @typedef {object} Server
 * @property {number} pid of its first process
 * @property {string} url
 * @property {(name: string, build?: string) => Promise<string>} create creates a database with the migrations of a build, by default the server's,
 * and returns its URL
 * @property {() => Promise<void>} stop
 */

/**
 * Starts the embedded PostgreSQL with the service's durable settings.
 * @param {string} service folder of the built service
 * @returns {Promise<Server>}
 */
export async function startServer(service) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-bench-'));
  await chmod(folder, 0o711);
  const { startEmbeddedDatabase } = await serviceModule(service, 'packages/postgres-server/index.js');
  /** @type {{ url: string, stop: () => Promise<void> }} */
  const server = await startEmbeddedDatabase(folder, { forTools: true }).catch(async (/** @type {unknown} */ error) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  const [pid] = (await readFile(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  // Stops the server if the run is interrupted.
  const end = () => {
    process.kill(Number(pid), 'SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  process.once('exit', end);
  return {
    pid: Number(pid),
    url: server.url,
    async create(name, build = service) {
      const { migrate } = await serviceModule(build, 'src/platform/migrations.js');
      const url = new URL(server.url);
      await withClient(server.url, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0`));
      url.pathname = `/${name}`;
      await migrate(url.href);
      return url.href;
    },
    async stop() {
      process.off('exit', end);
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * @template Result
 * @param {string} url
 * @param {(client: pg.Client) => Promise<Result>} work
 */
export async function withClient(url, work) {
  const client = new pg.Client({ connectionString: url, application_name: 'taskgate-bench' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** @param {Server} server */
export const versionOf = ({ url }) =>
  withClient(url, async (client) => {
    const { rows } = await client.query('SHOW server_version');
    return String(rows[0].server_version);
  });

/** Indexes that a usual project has no use for: lists in further orders, claims, and planned reminders. */
const uncommonIndexes = [
  'tasks_claim_order_idx',
  'tasks_space_id_completed_at_idx',
  'tasks_space_id_created_at_idx',
  'tasks_space_id_due_key_idx',
];

/**
 * Reduces the schema to the tables of a usual project: without triggers, which write the log, and without columns and indexes for search
 * and reminders. Adds a copy of the tasks with few indexes, on which a bare UPDATE is the limit of a bulk change.
 * @param {string} url
 */
export const stripToUsualTables = (url) =>
  withClient(url, async (client) => {
    const { rows } = await client.query(
      `SELECT tgname AS name, tgrelid::regclass::text AS "table" FROM pg_trigger WHERE NOT tgisinternal`,
    );
    for (const trigger of rows) await client.query(`DROP TRIGGER ${trigger.name} ON ${trigger.table}`);
    // PostGraphile would give this type and the rows of the table `changes` the same name.
    await client.query(`DROP TYPE change_entry CASCADE; DROP INDEX ${uncommonIndexes.join(', ')};
      ALTER TABLE tasks DROP COLUMN search, RESET (fillfactor); CLUSTER tasks USING tasks_pkey;
      CREATE TABLE team_tasks (LIKE tasks); INSERT INTO team_tasks SELECT * FROM tasks; ALTER TABLE team_tasks ADD PRIMARY KEY (id);
      CREATE INDEX ON team_tasks (project_id, sort_key); CREATE INDEX ON team_tasks (parent_id); ANALYZE tasks, team_tasks`);
  });
