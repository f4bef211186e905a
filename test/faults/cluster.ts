import { rm } from 'node:fs/promises';
import path from 'node:path';
import { FaultProxy } from '../kit/fault-proxy.ts';
import { OwnPostgres } from '../kit/own-postgres.ts';
import { sqlAt } from '../kit/postgres.ts';
import { type RedisServer, startRedis } from '../kit/redis.ts';
import { accessService } from '../kit/service.ts';
import { Supervisor } from '../kit/supervisor.ts';
import type { RunSql } from '../load/effects.ts';
import { endRemaining, type Installation, makeFolder, postmastersIn, stopServices } from './installation.ts';
import { nearby } from '../webhooks/webhooks.ts';

/** Two services on one PostgreSQL and one Redis, with proxies before the database and each service. */
export class Cluster implements Installation {
  readonly services: readonly Supervisor[];
  readonly folder: string;
  readonly dataDir: string;
  readonly proxy: FaultProxy;
  readonly entrances: FaultProxy[] = [];
  /** Undefined if Redis is not installed. */
  readonly redis: RedisServer | undefined;
  readonly database: OwnPostgres;

  private constructor(folder: string, database: OwnPostgres, proxy: FaultProxy, redis: RedisServer | undefined) {
    this.folder = folder;
    this.dataDir = path.join(folder, 'data');
    this.database = database;
    this.proxy = proxy;
    this.redis = redis;
    this.services = [0, 1].map(
      () =>
        new Supervisor(() => ({
          variables: {
            DATABASE_URL: proxy.url,
            ...(redis && { REDIS_URL: redis.url }),
            DATA_DIR: this.dataDir,
            SESSION_SECRET: 'a secret that both services know',
            RATE_LIMITS: 'off',
            ...nearby,
            LOG_LEVEL: 'error',
          },
        })),
    );
  }

  static async start(): Promise<Cluster> {
    const folder = await makeFolder();
    const database = await OwnPostgres.start(folder, { durable: true });
    const cluster = new Cluster(folder, database, await FaultProxy.open(database.url), await startRedis());
    for (const { up } of cluster.services) cluster.entrances.push(await FaultProxy.open((await up).url));
    return cluster;
  }

  readonly access = async () => accessService((await this.services[0]?.up)?.url ?? '', this.dataDir);

  /** The services in turn, if both are up. */
  readonly find = async () => {
    const [first = 0, ...others] = this.#turn();
    const untilUp = async (index: number) => {
      await this.services[index]?.up;
      return index;
    };
    const index = await Promise.race([untilUp(first), ...others.map(untilUp)]);
    return { url: new URL(this.entrances[index]?.url ?? '').origin };
  };

  #turns = 0;
  #turn(): number[] {
    const first = (this.#turns += 1) % 2;
    return [first, 1 - first];
  }

  readonly sql: RunSql = (text, values) => sqlAt(this.database.url, text, values);

  readonly postmasters = () => postmastersIn(this.folder);

  async stop(): Promise<string[]> {
    const problems = await stopServices(this.services);
    for (const proxy of [...this.entrances, this.proxy]) await proxy.close();
    await this.redis?.stop();
    await this.database.close();
    const remaining = await endRemaining(this.folder);
    await rm(this.folder, { recursive: true, force: true });
    return [...problems, ...remaining];
  }
}
