import { FaultProxy } from './fault-proxy.ts';
import { OwnPostgres } from './own-postgres.ts';
import { type Service, startService } from './service.ts';
import { untilReady } from './until.ts';

interface BackedUp {
  url: string;
  backUp(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** A service that runs while its database is restored. */
export class Restorable {
  readonly service: Service;
  readonly #postgres: BackedUp;
  readonly #proxy: FaultProxy;

  private constructor(service: Service, postgres: BackedUp, proxy: FaultProxy) {
    this.service = service;
    this.#postgres = postgres;
    this.#proxy = proxy;
  }

  static async start(backup?: BackedUp, variables: Record<string, string> = {}): Promise<Restorable> {
    const postgres = backup ?? (await OwnPostgres.start(undefined, { durable: true }));
    const proxy = await FaultProxy.open(postgres.url);
    const service = await startService(variables, { databaseUrl: postgres.url, serviceDatabaseUrl: proxy.url });
    return new Restorable(service, postgres, proxy);
  }

  /** @returns a function that restores the database, and runs `meanwhile` before the service can connect again */
  async backUp(backUp = () => this.#postgres.backUp()): Promise<(whileDown?: () => Promise<unknown>) => Promise<void>> {
    const restore = await backUp();
    await untilReady(this.service);
    return async (whileDown) => {
      await this.#proxy.set({ mode: 'down' });
      await restore();
      await whileDown?.();
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
