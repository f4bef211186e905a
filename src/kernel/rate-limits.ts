import { createHash } from 'node:crypto';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { Prisma } from '../generated/prisma/client.ts';
import { runSql, sessionPool } from './database.ts';
import { rateLimited } from './errors.ts';
import { prune } from './prune.ts';

interface Counter {
  points: number;
  /** Milliseconds until the row expires, by the database's clock. */
  remainingMs: number;
}

/**
 * The limiter of the library with a store whose rows expire by the database's clock: by that of the process, as the
 * library's own has it, processes whose clocks differ would forget each other's counts, or never.
 */
class DatabaseLimiter extends RateLimiterPostgres {
  constructor({ name, points, durationSeconds }: RateLimitOptions) {
    super({
      // The statements below go through the pool of sessions of kernel/database.ts.
      storeClient: {},
      storeType: 'client',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points,
      duration: durationSeconds,
    });
  }

  _upsert(key: string, points: number, durationMs: number): Promise<Counter[]> {
    return runSql<Counter>(
      sessionPool,
      Prisma.sql`
        INSERT INTO rate_limits AS counter (key, points, expires_at)
        VALUES (${key}, ${points}::int, statement_timestamp() + make_interval(secs => ${durationMs / 1000}::float8))
        ON CONFLICT (key) DO UPDATE SET
          points = CASE WHEN counter.expires_at <= statement_timestamp()
            THEN excluded.points ELSE counter.points + excluded.points END,
          expires_at = CASE WHEN counter.expires_at <= statement_timestamp()
            THEN excluded.expires_at ELSE counter.expires_at END
        RETURNING points, ${remainingMs}`,
    );
  }

  _getRateLimiterRes(_key: string, changedPoints: number, [counter]: Counter[]): RateLimiterRes {
    const { points, remainingMs } = counter ?? { points: 0, remainingMs: 0 };
    const remaining = Math.max(this.points - points, 0);
    return new RateLimiterRes(remaining, Math.max(remainingMs, 0), points, points === changedPoints);
  }
}

const remainingMs = Prisma.sql`
  (extract(epoch FROM expires_at - statement_timestamp()) * 1000)::float8 AS "remainingMs"`;

export interface RateLimitOptions {
  /** Names the limit in its keys, such as `sign-in-failures`. */
  name: string;
  /** What may be counted within one duration. */
  points: number;
  /** Seconds for which points count, from the first of them on. */
  durationSeconds: number;
  /** What the refusal says. */
  message: string;
  /** False: nothing is counted and nothing refused. */
  enabled?: boolean;
}

/** Counts what a subject (an address, a client, an account) does, in the database, so for all processes together. */
export class RateLimit {
  readonly #name: string;
  readonly #limiter: DatabaseLimiter;
  readonly #message: string;
  readonly #enabled: boolean;

  constructor(options: RateLimitOptions) {
    this.#name = options.name;
    this.#limiter = new DatabaseLimiter(options);
    this.#message = options.message;
    this.#enabled = options.enabled ?? true;
  }

  /**
   * Counts what is about to be done; what is refused counts as well.
   * @throws RATE_LIMITED where more than the limit has been counted
   */
  async consume(subject: string): Promise<void> {
    if (!this.#enabled) return;
    await this.#limiter.consume(keyOf(subject)).catch((refusal: unknown) => {
      throw refusal instanceof RateLimiterRes ? this.#refusal(refusal) : refusal;
    });
  }

  #refusal({ msBeforeNext }: RateLimiterRes) {
    return rateLimited(this.#name, this.#message, msBeforeNext / 1000);
  }
}

/** A hash: clients make up subjects of any length, which an index could not hold. */
const keyOf = (subject: string) => createHash('sha256').update(subject).digest('base64url');

/** Deletes counters that have expired; one that counts again meanwhile stays. @returns how many */
export const pruneRateLimits = () => prune({ table: 'rate_limits', key: 'key', moment: 'expires_at' });
