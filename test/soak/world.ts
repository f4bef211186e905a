import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pRetry from 'p-retry';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '@taskgate/postgres-server';
import { FaultProxy } from '../kit/fault-proxy.ts';
import { endWithProcess, sqlAt } from '../kit/postgres.ts';
import { accessService, type ServiceAccess } from '../kit/service.ts';
import { type ReadyService, Supervisor } from '../kit/supervisor.ts';
import { nearby } from '../webhooks/webhooks.ts';

const retryOptions = { retries: 10, minTimeout: 100, maxTimeout: 2000 };

/** Two gateways on one PostgreSQL, behind a proxy that keeps its address over restarts. */
export class Installation {
  database: Promise<EmbeddedDatabase>;
  readonly #folder: string;
  readonly #proxy: FaultProxy;
  readonly #gateways: readonly Supervisor[];
  readonly #random: () => number;

  private constructor(folder: string, database: EmbeddedDatabase, proxy: FaultProxy, random: () => number) {
    this.#random = random;
    this.#folder = folder;
    this.database = Promise.resolve(database);
    this.#proxy = proxy;
    this.#gateways = [0, 1].map(
      () =>
        new Supervisor(() => ({
          variables: {
            DATABASE_URL: proxy.url,
            DATA_DIR: this.dataDir,
            SESSION_SECRET: 'a secret of the soak test',
            RATE_LIMITS: 'off',
            ...nearby,
            LOG_LEVEL: 'error',
          },
        })),
    );
  }

  static async start(random: () => number): Promise<Installation> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-soak-'));
    await chmod(folder, 0o711);
    const database = await startDatabase(folder);
    endWithProcess(folder);
    const installation = new Installation(folder, database, await FaultProxy.open(database.url), random);
    await Promise.all(installation.#gateways.map(({ up }) => up));
    return installation;
  }

  readonly sql = async <Row extends object>(text: string, values?: unknown[]): Promise<Row[]> =>
    sqlAt<Row>((await this.database).url, text, values);

  readonly access = async (): Promise<ServiceAccess> => accessService((await this.find()).url, this.dataDir);

  /** A random gateway once the database is up, or the first to come back. */
  readonly find = async (): Promise<ReadyService> => {
    await this.database;
    return Promise.any(this.#gateways.map(({ up }) => up).sort(() => this.#random() - 0.5));
  };

  /** Kills a gateway once it is up. The supervisor replaces it. */
  async kill(index: number): Promise<void> {
    await this.#gateways[index]?.up;
    await this.#gateways[index]?.end('SIGKILL');
  }

  async restartDatabase(): Promise<void> {
    const running = await this.database;
    this.database = running.stop().then(async () => {
      const database = await startDatabase(this.#folder);
      this.#proxy.retarget(database.url);
      return database;
    });
    await this.database;
  }

  async stop(): Promise<void> {
    for (const gateway of this.#gateways) await gateway.stop();
    await this.#proxy.close();
    await (await this.database).stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get dataDir(): string {
    return path.join(this.#folder, 'data');
  }
}

/** Another program may take the port first, so the caller retries. */
const startDatabase = (folder: string): Promise<EmbeddedDatabase> =>
  pRetry(() => startEmbeddedDatabase(folder, { durable: false, forTools: true }), retryOptions);
