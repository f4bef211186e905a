import type { Redis } from 'ioredis';
import { Prisma } from '../generated/prisma/client.ts';
import { runSessionWrite } from '../database/statements.ts';
import { log } from '../kernel/logger.ts';
import { connectRedis } from '../kernel/redis.ts';
import { inTime } from '../kernel/within.ts';

/** What all processes have counted of a key. */
export interface Tally {
  points: number;
  /** Milliseconds until it is forgotten, by the clock of the store. */
  remainingMs: number;
}

/** Milliseconds for which the store may take. */
const answerMs = 500;
/** Milliseconds between attempts at a store that is unavailable. */
const pauseMs = 1000;

/**
 * Counts use the database's clock: processes whose clocks differ would forget each other's, or never. On the pool of
 * sessions: operations on the other pool must not delay counting.
 */
async function addInDatabase(key: string, points: number, windowMs: number): Promise<Tally | undefined> {
  const [tally] = await runSessionWrite<Tally>(
    Prisma.sql`
      INSERT INTO rate_limits AS counter (key, points, expires_at)
      VALUES (${key}, ${points}::int, statement_timestamp() + make_interval(secs => ${windowMs / 1000}::float8))
      ON CONFLICT (key) DO UPDATE SET
        points = CASE WHEN counter.expires_at <= statement_timestamp()
          THEN excluded.points ELSE counter.points + excluded.points END,
        expires_at = CASE WHEN counter.expires_at <= statement_timestamp()
          THEN excluded.expires_at ELSE counter.expires_at END
      RETURNING points, (extract(epoch FROM expires_at - statement_timestamp()) * 1000)::float8 AS "remainingMs"`,
  );
  return tally;
}

/** Adds, and has a key that is new expire. */
const addScript = `
local points = redis.call('INCRBY', KEYS[1], ARGV[1])
local remaining = redis.call('PTTL', KEYS[1])
if remaining < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  remaining = tonumber(ARGV[2])
end
return {points, remaining}`;

async function addInRedis(redis: Redis, key: string, points: number, windowMs: number): Promise<Tally> {
  const counting = redis.eval(addScript, 1, `taskgate:rate-limits:${key}`, points, Math.ceil(windowMs));
  const [sum, remainingMs] = (await counting) as [number, number];
  return { points: sum, remainingMs };
}

/** Where the processes of the service count together. */
export class RateLimitStore {
  readonly #redis: Redis | undefined;
  readonly #patienceMs: number;
  #isAway = false;
  /** By performance.now(). */
  #triedAt = 0;

  /**
   * @param redisUrl absent: in PostgreSQL, which has to be connected by the time of the first count
   * @param patienceMs milliseconds for which the store may take: nobody waits longer for a count
   */
  constructor(redisUrl?: string, patienceMs = answerMs) {
    this.#patienceMs = patienceMs;
    // The next count finds out that it is lost.
    this.#redis =
      redisUrl === undefined
        ? undefined
        : connectRedis('rate-limits', redisUrl, () => undefined, { commandTimeout: patienceMs });
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
      const lastsMs = Math.max(windowMs, 1);
      const counting = this.#redis
        ? addInRedis(this.#redis, key, points, lastsMs)
        : addInDatabase(key, points, lastsMs);
      const tally = await inTime(this.#patienceMs, counting);
      if (this.#isAway) log.info('rate limits are counted by all processes together again');
      this.#isAway = false;
      return tally;
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
