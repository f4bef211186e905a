import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '@taskgate/postgres-server';
import { clusterFolder, runStatements } from '../../packages/postgres-server/cluster.ts';
import { loadPrograms } from '../../packages/postgres-server/embedded.ts';
import { unprivilegedAccount } from '../../packages/postgres-server/processes.ts';
import { migrate } from '../../src/platform/migrations.ts';
import { postmasterOf } from './embedded.ts';
import { endWithProcess, sqlAt } from './postgres.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const options = { durable: false, forTools: true };

export class ReplicatedServer {
  readonly #folder: string;
  #database: EmbeddedDatabase | undefined;
  #url = '';

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The URL, which a restart keeps. */
  get url(): string {
    return this.#url;
  }

  async start(): Promise<void> {
    const port = this.#url === '' ? 0 : Number(new URL(this.#url).port);
    this.#database = await startEmbeddedDatabase(this.#folder, { ...options, port });
    this.#url = this.#database.url;
  }

  async stop(): Promise<void> {
    await this.#database?.stop();
    this.#database = undefined;
  }

  /** Copies the files of the stopped server, with their owners. */
  async copyTo(folder: string): Promise<ReplicatedServer> {
    await run('cp', ['-a', this.#folder, folder]);
    return new ReplicatedServer(folder);
  }

  /**
   * @param upstream server to follow. Default: none, so its state never changes.
   * @param delay between receiving and applying a commit, such as `200ms`
   */
  async standBy(upstream?: ReplicatedServer, delay = '0'): Promise<void> {
    const { username, password, port } = new URL(upstream?.url ?? this.url);
    const connection = `host=127.0.0.1 port=${port} user=${username} password=${password}`;
    const settings = [
      `primary_conninfo = '${upstream ? connection : ''}'`,
      `recovery_min_apply_delay = '${delay}'`,
      'hot_standby_feedback = on',
    ];
    const cluster = clusterFolder(this.#folder);
    await appendFile(path.join(cluster, 'postgresql.conf'), `\n${settings.join('\n')}\n`);
    await writeFile(path.join(cluster, 'standby.signal'), '');
  }

  /** Promotes the standby to a new timeline. */
  async promote(): Promise<void> {
    await writeFile(path.join(clusterFolder(this.#folder), 'promote'), '');
    process.kill((await postmasterOf(this.#folder)).pid, 'SIGUSR1');
    await until('the server is promoted', async () => {
      const [row] = await this.sql<{ isStandby: boolean }>('SELECT pg_is_in_recovery() AS "isStandby"');
      return row?.isStandby === false;
    });
  }

  readonly sql = <Row extends object>(text: string, values?: unknown[]): Promise<Row[]> =>
    sqlAt<Row>(this.url, text, values);

  /** Runs a statement as superuser on the stopped server. */
  async asSuperuser(statement: string): Promise<void> {
    const { postgres } = await loadPrograms();
    const folder = clusterFolder(this.#folder);
    const account = await unprivilegedAccount(folder, [folder, postgres]);
    const { signal } = new AbortController();
    await runStatements({ account, postgres, signal }, folder, 'taskgate', [statement], { fsync: 'off' });
  }
}

export interface Replicated {
  primary: ReplicatedServer;
  standbys: ReplicatedServer[];
  close(): Promise<void>;
}

/**
 * Starts a primary and standbys. The first standby follows the primary, each other the one before it.
 * @param statement runs first as superuser, such as a GRANT
 */
export async function startReplicated(delays: readonly string[], statement?: string): Promise<Replicated> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-replicated-'));
  await run('chmod', ['711', folder]);
  const first = path.join(folder, 'primary');
  await mkdir(first, { mode: 0o711 });
  const primary = new ReplicatedServer(first);
  await primary.start();
  await migrate(primary.url);
  await primary.stop();
  if (statement !== undefined) await primary.asSuperuser(statement);
  const copies: [string, string, ReplicatedServer][] = [];
  for (const [index, delay] of delays.entries()) {
    const copy = path.join(folder, `standby-${index}`);
    copies.push([copy, delay, await primary.copyTo(copy)]);
  }
  const standbys = copies.map(([, , standby]) => standby);
  await primary.start();
  endWithProcess(first);
  let upstream = primary;
  for (const [copy, delay, standby] of copies) {
    await standby.standBy(upstream, delay);
    await standby.start();
    endWithProcess(copy);
    upstream = standby;
  }
  return {
    primary,
    standbys,
    async close() {
      for (const server of [...standbys.toReversed(), primary]) await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
