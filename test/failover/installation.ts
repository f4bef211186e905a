import type { ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pRetry from 'p-retry';
import { endRemaining, makeFolder, stopServices } from '../faults/installation.ts';
import { sqlAt } from '../kit/postgres.ts';
import { accessService } from '../kit/service.ts';
import { Supervisor } from '../kit/supervisor.ts';
import { until } from '../kit/until.ts';
import type { RunSql } from '../load/effects.ts';
import { DatabaseServer } from './database-server.ts';
import { configFile, etcdVariables, secret } from './files.ts';
import { statistic } from './haproxy.ts';
import { gateAddress, startProgram } from './machine.ts';

/** Address of HAProxy in `haproxy.cfg`. */
const publicUrl = 'http://127.0.0.1:8080';
const databaseUrl = `postgresql://taskgate:${secret}@127.0.0.1:5000/taskgate`;
const statisticsUrl = 'http://127.0.0.1:8404';
/** Ports of the gateways and their probes. */
const gatewayPorts = [
  ['3001', '9465'],
  ['3002', '9466'],
];

/** About ten seconds in total. */
const retryOptions = { retries: 20, minTimeout: 50, maxTimeout: 500 };

export class Installation {
  readonly servers: readonly DatabaseServer[];
  readonly dataDir: string;
  readonly #folder: string;
  readonly #gateways: readonly Supervisor[];
  readonly #programs: readonly ChildProcess[];

  private constructor(folder: string, servers: readonly DatabaseServer[], programs: readonly ChildProcess[]) {
    this.#folder = folder;
    this.dataDir = path.join(folder, 'gateways');
    this.servers = servers;
    this.#programs = programs;
    this.#gateways = gatewayPorts.map(
      ([port = '', probes = '']) =>
        new Supervisor(() => ({
          variables: {
            PORT: port,
            METRICS_PORT: probes,
            DATABASE_URL: databaseUrl,
            DATA_DIR: this.dataDir,
            SESSION_SECRET: 'a secret that both gateways know',
            TRUST_PROXY: '1',
            RATE_LIMITS: 'off',
            LOG_LEVEL: 'error',
          },
        })),
    );
  }

  static async start(): Promise<Installation> {
    const folder = await makeFolder();
    const createSubfolder = async (name: string) => {
      const subfolder = path.join(folder, name);
      await mkdir(subfolder);
      await promisify(execFile)('chown', ['postgres:postgres', subfolder]);
      return subfolder;
    };
    const gate = await createSubfolder('gate');
    const etcd = startProgram(['setpriv', '--reuid=postgres', '--clear-groups', 'etcd'], {
      env: await etcdVariables('gate', gateAddress, gate),
      log: path.join(gate, 'etcd.log'),
    });
    const servers = [
      await DatabaseServer.boot('db1', '10.77.0.11', await createSubfolder('db1')),
      await DatabaseServer.boot('db2', '10.77.0.12', await createSubfolder('db2')),
    ];
    await untilReplicating(servers);
    const primary = await primaryOf(servers);
    await primary?.sql(`CREATE ROLE taskgate LOGIN PASSWORD '${secret}'`, 'postgres');
    await primary?.sql('CREATE DATABASE taskgate OWNER taskgate', 'postgres');
    const haproxy = startProgram(['haproxy', '-db', '-f', configFile('haproxy.cfg')], {
      env: {},
      log: path.join(gate, 'haproxy.log'),
    });
    await until('the database is there', () =>
      sqlAt(databaseUrl, 'SELECT').then(
        () => true,
        () => false,
      ),
    );
    const installation = new Installation(folder, servers, [etcd, haproxy]);
    await Promise.all(installation.#gateways.map(({ up }) => up));
    await until(
      'HAProxy has both gateways',
      async () => (await installation.#isUp('gateway-1')) && installation.#isUp('gateway-2'),
    );
    return installation;
  }

  readonly find = () => Promise.resolve({ url: publicUrl });

  readonly access = () => Promise.resolve(accessService(publicUrl, this.dataDir));

  readonly sql: RunSql = (text, values) => pRetry(() => sqlAt(databaseUrl, text, values), retryOptions);

  /** @throws if there is no primary */
  async primary(): Promise<DatabaseServer> {
    const primary = await primaryOf(this.servers);
    if (!primary) throw new Error('there is no primary');
    return primary;
  }

  /** One more than the number of promotions. */
  async timeline(): Promise<number> {
    const members = await (await this.primary()).members();
    return members?.find(({ role }) => role === 'leader')?.timeline ?? 0;
  }

  other(server: DatabaseServer): DatabaseServer {
    const [other] = this.servers.filter((each) => each !== server);
    if (!other) throw new Error('there is no other server');
    return other;
  }

  readonly untilReplicating = (isSynchronous = true) => untilReplicating(this.servers, isSynchronous);

  sessions(server: DatabaseServer): Promise<number> {
    return statistic(statisticsUrl, server.name, 'stot').then(Number);
  }

  /** Call while nobody writes. */
  async untilEqual(): Promise<void> {
    await until('both servers have the same rows', async () => {
      const [first, second] = await Promise.all(this.servers.map(rowsOf));
      return first === second;
    });
  }

  get crashes(): string[] {
    return this.#gateways.filter(({ crashes }) => crashes > 0).map(({ lastErrors }) => lastErrors.slice(-500));
  }

  async lastLogLines(): Promise<string> {
    const logs = this.servers.flatMap(({ machine }) => ['patroni', 'etcd'].map(machine.logOf));
    const texts = await Promise.all(
      logs.map(async (log) => `${log}:\n${(await readFile(log, 'utf8')).split('\n').slice(-40).join('\n')}`),
    );
    return texts.join('\n');
  }

  /** Stops everything. @returns problems */
  async stop(): Promise<string[]> {
    const problems = await stopServices(this.#gateways);
    for (const { machine } of this.servers) await machine.end();
    for (const program of this.#programs) program.kill('SIGKILL');
    await endRemaining(this.#folder);
    await rm(this.#folder, { recursive: true, force: true });
    return problems;
  }

  async #isUp(server: string): Promise<boolean> {
    return (await statistic(statisticsUrl, server, 'status')) === 'UP';
  }
}

async function primaryOf(servers: readonly DatabaseServer[]): Promise<DatabaseServer | undefined> {
  const are = await Promise.all(servers.map((server) => server.isPrimary()));
  return servers.find((_server, index) => are[index]);
}

/** In synchronous mode, commits wait for the standby. */
async function untilReplicating(servers: readonly DatabaseServer[], isSynchronous = true): Promise<void> {
  const role = isSynchronous ? 'sync_standby' : 'replica';
  await until('there is a primary with a standby', async () => {
    const memberLists = await Promise.all(servers.map((server) => server.members()));
    return memberLists.every((members) => {
      const leader = members?.find((each) => each.role === 'leader');
      const standby = members?.find((each) => each.role === role && /running|streaming/.test(each.state));
      return leader !== undefined && standby !== undefined && leader.timeline === standby.timeline;
    });
  });
}

async function rowsOf(server: DatabaseServer): Promise<string> {
  const tables = await server.sql<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('public', 'load') ORDER BY 1`,
  );
  const hashes = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, count(*), md5(string_agg(row::text, ';' ORDER BY row::text)) FROM ${name} AS row`,
  );
  return JSON.stringify(await server.sql(hashes.join(' UNION ALL ')));
}
