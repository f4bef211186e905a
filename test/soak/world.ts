import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket as TcpSocket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import pRetry from 'p-retry';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../../src/database/embedded.ts';
import { endWithProcess } from '../kit/postgres.ts';
import { type ServiceProcess, spawnService } from '../kit/process.ts';

const again = { retries: 10, minTimeout: 100, maxTimeout: 2000 };

/** A gateway that comes back after every kill, at another address. */
export interface Gateway {
  /** Settles when it is there. */
  up: Promise<{ url: string; process: ServiceProcess }>;
}

/** Two gateways on one PostgreSQL, behind a proxy so that it keeps its address over restarts. */
export class World {
  readonly folder: string;
  /** Settles when the database is there. */
  database: Promise<EmbeddedDatabase>;
  readonly #gateways: Gateway[] = [];
  readonly #running = new Set<ServiceProcess>();
  readonly #proxy: Server;
  readonly #sockets = new Set<TcpSocket>();

  private constructor(folder: string) {
    this.folder = folder;
    this.database = this.#startDatabase();
    this.#proxy = createServer((client) => void this.#forward(client));
  }

  static async start(): Promise<World> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-soak-'));
    await chmod(folder, 0o711);
    const world = new World(folder);
    await world.database;
    endWithProcess(folder);
    process.once('exit', () => world.#running.forEach((each) => each.signal('SIGKILL')));
    await new Promise<void>((resolve) => world.#proxy.listen(0, '127.0.0.1', resolve));
    for (const index of [0, 1]) {
      const up = world.#startGateway(index);
      world.#gateways.push({ up });
      await up;
    }
    return world;
  }

  /** A gateway, once it is there. */
  gateway(index: 0 | 1): Gateway['up'] {
    return this.#gateways[index]?.up ?? Promise.reject(new Error('there is no such gateway'));
  }

  /** One of the gateways that are there; where there is none, the first that comes back. */
  anyGateway(): Gateway['up'] {
    return Promise.any(this.#gateways.map(({ up }) => up).sort(() => Math.random() - 0.5));
  }

  /** Kills a gateway without a word as soon as it is there; another takes its place. */
  async kill(index: number): Promise<void> {
    const gateway = this.#gateways[index];
    if (!gateway) return;
    const running = gateway.up;
    gateway.up = running.then(async ({ process: child }) => {
      child.signal('SIGKILL');
      await child.ended;
      return this.#startGateway(index);
    });
    await running;
  }

  /** Ends the database under all connections, and starts it again. */
  async restartDatabase(): Promise<void> {
    const running = await this.database;
    this.database = running.stop().then(() => this.#startDatabase());
    await this.database;
  }

  async stop(): Promise<void> {
    for (const { up } of this.#gateways) {
      const { process: child } = await up;
      child.signal('SIGTERM');
      await child.ended;
    }
    for (const socket of this.#sockets) socket.destroy();
    this.#proxy.close();
    await (await this.database).stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  dataDirOf(index: number): string {
    return path.join(this.folder, `gateway-${index}`);
  }

  /** Its port may have gone to another by the time that it wants it: whoever runs it tries again. */
  #startDatabase(): Promise<EmbeddedDatabase> {
    return pRetry(() => startEmbeddedDatabase(this.folder, { durable: false, forTools: true }), again);
  }

  /** A start during a restart of the database fails with one line, as it should: whoever runs it tries again. */
  #startGateway(index: number): Gateway['up'] {
    return pRetry(async () => {
      const url = new URL((await this.database).url);
      url.port = String((this.#proxy.address() as AddressInfo).port);
      const started = await spawnService({
        DATABASE_URL: url.href,
        DATA_DIR: this.dataDirOf(index),
        SESSION_SECRET: 'a secret of the soak test',
        RATE_LIMITS: 'off',
        LOG_LEVEL: 'error',
      });
      if (started.url === undefined) throw new Error(`a gateway did not start: ${started.errors()}`);
      this.#running.add(started);
      void started.ended.then(() => this.#running.delete(started));
      return { url: started.url, process: started };
    }, again);
  }

  async #forward(client: TcpSocket) {
    client.on('error', () => client.destroy());
    const { port } = new URL((await this.database).url);
    if (client.destroyed) return;
    const server = connect(Number(port), '127.0.0.1');
    server.on('error', () => client.destroy());
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    }
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    client.pipe(server);
    server.pipe(client);
  }
}
