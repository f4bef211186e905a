import pg from 'pg';
import { within } from '../kernel/within.ts';
import { DatabaseAwayError, type DatabaseHealth, destroyConnection } from './health.ts';
import { measureStatements } from './statement-times.ts';

interface StartsUp {
  getStartupConf(): Record<string, string>;
}

/** Milliseconds until a new connection is open, in which the event loop runs; a stopped server opens none. */
const openMs = 3_000;

type Connected = (error?: Error | null, client?: unknown) => void;

/**
 * The class of all connections but the probe's: they are opened while the database is not away, destroyed when it goes
 * away, and health is notified when one breaks, and when something comes over it.
 * @param answerMs milliseconds after which one that has not answered a statement is destroyed; absent: never
 */
export function clientClass(health: DatabaseHealth, answerMs = Infinity): typeof pg.Client {
  return class extends pg.Client implements StartsUp {
    constructor(config?: string | pg.ClientConfig) {
      // The driver's own timeout would count the time for which the event loop is busy as the server's.
      super({ ...(config as pg.ClientConfig), connectionTimeoutMillis: 0 });
      this.on('error', () => health.noteLost(this));
      measureStatements(this);
    }

    /** The Prisma adapter takes every moment for one in UTC, whatever offset PostgreSQL writes with it. */
    getStartupConf() {
      return { ...(pg.Client.prototype as unknown as StartsUp).getStartupConf.call(this), TimeZone: 'UTC' };
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
      void within(openMs, settled).then((isInTime) => {
        if (!isInTime) destroyConnection(this, new DatabaseAwayError('no new connection to the database in time'));
      });
      return undefined;
    }
  };
}
