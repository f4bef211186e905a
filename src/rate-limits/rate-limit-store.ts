import type { Redis } from 'ioredis';
import {
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterStoreAbstract,
} from 'rate-limiter-flexible';
import { Prisma } from '../generated/prisma/client.ts';
import { runSql, sessionPool } from '../database/database.ts';
import { log } from '../kernel/logger.ts';
import { prune } from '../database/prune.ts';
import { connectRedis } from '../kernel/redis.ts';
import { inTime } from '../kernel/within.ts';

/** What all processes have counted of a key. */
export interface Tally {
  points: number;
  /** Milliseconds until it is forgotten, by the clock of the store. */
  remainingMs: number;
}

/** Milliseconds for which the store may take: nobody waits longer for a count. */
const answerMs = 500;
/** Milliseconds between tries of a store that is away. */
const pauseMs = 1000;
/** The library has limiters refuse; here they only count. */
const countsOnly = { points: Number.MAX_SAFE_INTEGER, duration: 0, keyPrefix: '' };

/** A row of `rate_limits`, as a statement gives it. */
interface Row {
  points: number;
  remainingMs: number;
}

const resultOf = (points: number, remainingMs: number) => new RateLimiterRes(0, Math.max(remainingMs, 0), points);

/**
 * The limiter of the library with a store whose rows expire by the database's clock: by that of the process, as the
 * library's own has it, processes whose clocks differ would forget each other's counts, or never.
 */
class DatabaseLimiter extends RateLimiterPostgres {
  constructor() {
    super({
      ...countsOnly,
      // The statement below goes through the pool of sessions of database/database.ts.
      storeClient: {},
      storeType: 'client',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
    });
  }

  _upsert(key: string, points: number, durationMs: number): Promise<Row[]> {
    return runSql<Row>(
      sessionPool,
      Prisma.sql`
        INSERT INTO rate_limits AS counter (key, points, expires_at)
        VALUES (${key}, ${points}::int, statement_timestamp() + make_interval(secs => ${durationMs / 1000}::float8))
        ON CONFLICT (key) DO UPDATE SET
          points = CASE WHEN counter.expires_at <= statement_timestamp()
            THEN excluded.points ELSE counter.points + excluded.points END,
          expires_at = CASE WHEN counter.expires_at <= statement_timestamp()
            THEN excluded.expires_at ELSE counter.expires_at END
        RETURNING points, (extract(epoch FROM expires_at - statement_timestamp()) * 1000)::float8 AS "remainingMs"`,
    );
  }

  _getRateLimiterRes(_key: string, _points: number, [row]: Row[]): RateLimiterRes {
    return resultOf(row?.points ?? 0, row?.remainingMs ?? 0);
  }
}

/** Adds, and has a key that is new expire; in milliseconds, where the library's own script has whole seconds. */
const addScript = `
local points = redis.call('INCRBY', KEYS[1], ARGV[1])
local remaining = redis.call('PTTL', KEYS[1])
if remaining < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  remaining = tonumber(ARGV[2])
end
return {points, remaining}`;

/** What the library defines on the client, from the script. */
interface CountingRedis {
  rlflxIncr(keyAndArguments: string[]): Promise<[number, number]>;
}

class RedisLimiter extends RateLimiterRedis {
  readonly #redis: CountingRedis;

  constructor(redis: Redis) {
    super({ ...countsOnly, storeClient: redis, customIncrTtlLuaScript: addScript });
    this.#redis = redis as unknown as CountingRedis;
  }

  _upsert(key: string, points: number, durationMs: number): Promise<[number, number]> {
    return this.#redis.rlflxIncr([`taskgate:rate-limits:${key}`, String(points), String(Math.ceil(durationMs))]);
  }

  _getRateLimiterRes(_key: string, _points: number, [points, remainingMs]: [number, number]): RateLimiterRes {
    return resultOf(points, remainingMs);
  }
}

/** Where the processes of the service count together. */
export class RateLimitStore {
  readonly #limiter: RateLimiterStoreAbstract;
  readonly #redis: Redis | undefined;
  #isAway = false;
  /** By performance.now(). */
  #triedAt = 0;

  /** @param redisUrl absent: in PostgreSQL, which has to be connected by the time of the first count */
  constructor(redisUrl?: string) {
    // Whoever counts finds out that it is lost.
    this.#redis =
      redisUrl === undefined ? undefined : connectRedis(redisUrl, () => undefined, { commandTimeout: answerMs });
    this.#limiter = this.#redis ? new RedisLimiter(this.#redis) : new DatabaseLimiter();
  }

  /**
   * Adds to what all have counted of a key.
   * @param windowMs milliseconds after which the count is forgotten, where it begins by this
   * @returns undefined where the store has not answered in time, or is known to be away: nobody waits for it then, nor is
   *   refused for it
   */
  async add(key: string, points: number, windowMs: number): Promise<Tally | undefined> {
    const now = performance.now();
    if (this.#isAway && now - this.#triedAt < pauseMs) return undefined;
    this.#triedAt = now;
    try {
      const counting = this.#limiter.penalty(key, points, { customDuration: Math.max(windowMs, 1) / 1000 });
      const { consumedPoints, msBeforeNext } = await inTime(answerMs, counting);
      if (this.#isAway) log.info('rate limits are counted by all processes together again');
      this.#isAway = false;
      return { points: consumedPoints, remainingMs: msBeforeNext };
    } catch (error) {
      if (!this.#isAway) log.warn({ error }, 'rate limits are counted by each process alone: their store is away');
      this.#isAway = true;
      return undefined;
    }
  }

  close(): void {
    this.#redis?.disconnect();
  }
}

/** Deletes counts in PostgreSQL that have expired; one that counts again meanwhile stays. @returns how many */
export const pruneRateLimits = () => prune({ table: 'rate_limits', key: 'key', moment: 'expires_at' });
