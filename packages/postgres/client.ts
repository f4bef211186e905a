import pg from 'pg';
import { settlesWithin } from '@taskgate/base';
import { DatabaseAwayError, type DatabaseHealth, destroyConnection } from './health.ts';
import { measureStatements } from './statement-times.ts';

/**
 * Spelled as PostgreSQL shows them. PgBouncer keeps them for each client. With other ones of the role or the database,
 * the driver misreads timestamps, and PostgreSQL the backslashes in statements.
 */
export const startupParameters = {
  // Prisma's adapter ignores offsets: it reads every timestamp as UTC.
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  standard_conforming_strings: 'on',
} as const;

interface StartsUp {
  getStartupConf(): Record<string, string>;
}

/** With the {@link startupParameters}. */
export class StartedClient extends pg.Client implements StartsUp {
  getStartupConf() {
    return { ...(pg.Client.prototype as unknown as StartsUp).getStartupConf.call(this), ...startupParameters };
  }
}

/** A stopped server opens no connections. */
const openMs = 3_000;

type Connected = (error?: Error | null, client?: unknown) => void;

/**
 * All connections except probes. They open only while the database is available. An outage destroys them.
 * @param answerMs destroys a connection after this time without an answer
 */
export function clientClass(health: DatabaseHealth, answerMs = Infinity): typeof pg.Client {
  return class extends StartedClient {
    constructor(config?: string | pg.ClientConfig) {
      // The driver's timeout also runs while the event loop is busy.
      super({ ...(config as pg.ClientConfig), connectionTimeoutMillis: 0 });
      this.on('error', () => health.noteLost(this));
      measureStatements(this);
    }

    override connect(): Promise<this>;
    override connect(done: Connected): void;
    override connect(done?: Connected): Promise<this> | undefined {
      if (!done) {
        return new Promise((resolve, reject) => {
          this.connect((error) => (error ? reject(error) : resolve(this)));
        });
      }
      try {
        health.watch(this, answerMs);
      } catch (error) {
        process.nextTick(done, error);
        return undefined;
      }
      const settled = new Promise<void>((settle) => {
        super.connect((error: Error | null, client?: unknown) => {
          settle();
          if (error) health.suspect();
          else health.listen(this);
          done(error, client);
        });
      });
      void settlesWithin(openMs, settled).then((isInTime) => {
        if (!isInTime) destroyConnection(this, new DatabaseAwayError('no new connection to the database in time'));
      });
      return undefined;
    }
  };
}
