import { FaultProxy } from './fault-proxy.ts';
import { OwnPostgres } from './own-postgres.ts';
import { type Service, startService } from './service.ts';
import { untilReady } from './until.ts';

/** A service whose database can be taken back to a backup of it, while the service goes on. */
export class Restorable {
  readonly service: Service;
  readonly #postgres: OwnPostgres;
  readonly #proxy: FaultProxy;

  private constructor(service: Service, postgres: OwnPostgres, proxy: FaultProxy) {
    this.service = service;
    this.#postgres = postgres;
    this.#proxy = proxy;
  }

  static async start(): Promise<Restorable> {
    const postgres = await OwnPostgres.start(undefined, { durable: true });
    const proxy = await FaultProxy.open(postgres.url);
    const service = await startService({}, { databaseUrl: postgres.url, serviceDatabaseUrl: proxy.url });
    return new Restorable(service, postgres, proxy);
  }

  /** Backs the database up. @returns what takes back all since then, and does something more before the service is there again */
  async backUp(): Promise<(meanwhile?: () => Promise<unknown>) => Promise<void>> {
    const restore = await this.#postgres.backUp();
    await untilReady(this.service);
    return async (meanwhile) => {
      await this.#proxy.set({ mode: 'down' });
      await restore();
      await meanwhile?.();
      await this.#proxy.set({ mode: 'ok' });
      await untilReady(this.service);
    };
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.#proxy.close();
    await this.#postgres.close();
  }
}
