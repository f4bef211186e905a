import { sqltag as sql } from '@prisma/client/runtime/client';
import type { Redis } from 'ioredis';
import { connectRedis, inTime, log } from '@taskgate/base';
import { type Postgres, runSessionWrite, seconds } from '@taskgate/postgres';

export interface Tally {
  points: number;
  /** Time until the window ends, by the store's clock. */
  remainingMs: number;
}

const defaultTimeoutMs = 500;
const retryAfterMs = 1000;

/**
 * Uses the database's clock, because processes' clocks differ, and the pool of sessions, because other operations must
 * not delay counting.
 */
async function addInDatabase(
  connections: Postgres,
  key: string,
  points: number,
  [lifetimeMs, windowMs]: readonly [number, number],
): Promise<Tally | undefined> {
  // A count that outlives a whole window is of a clock that was set back.
  const isOver = sql`counter.expires_at NOT BETWEEN statement_timestamp() AND statement_timestamp() + ${seconds(windowMs / 1000 + 60)}`;
  const [tally] = await runSessionWrite<Tally>(
    connections,
    sql`
      INSERT INTO rate_limits AS counter (key, points, expires_at)
      VALUES (${key}, ${points}::int, statement_timestamp() + ${seconds(lifetimeMs / 1000)})
      ON CONFLICT (key) DO UPDATE SET
        points = CASE WHEN ${isOver} THEN excluded.points ELSE counter.points + excluded.points END,
        expires_at = CASE WHEN ${isOver} THEN excluded.expires_at ELSE counter.expires_at END
      RETURNING points, (extract(epoch FROM expires_at - statement_timestamp()) * 1000)::float8 AS "remainingMs"`,
  );
  return tally;
}

const addScript = `
local points = redis.call('INCRBY', KEYS[1], ARGV[1])
local remaining = redis.call('PTTL', KEYS[1])
if remaining < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  remaining = tonumber(ARGV[2])
end
return {points, remaining}`;

async function addInRedis(redis: Redis, key: string, points: number, windowMs: number): Promise<Tally> {
  const pending = redis.eval(addScript, 1, `taskgate:rate-limits:${key}`, points, Math.ceil(windowMs));
  const [sum, remainingMs] = (await pending) as [number, number];
  return { points: sum, remainingMs };
}

/** The counts of all processes. It never throws. */
export class RateLimitStore {
  readonly #connections: Postgres;
  readonly #redis: Redis | undefined;
  readonly #timeoutMs: number;
  #isUnavailable = false;
  #triedAt = 0;

  /** @param redisUrl absent: counts in PostgreSQL */
  constructor(connections: Postgres, redisUrl?: string, timeoutMs = defaultTimeoutMs) {
    this.#connections = connections;
    this.#timeoutMs = timeoutMs;
    // The next count notices a lost connection.
    this.#redis =
      redisUrl === undefined
        ? undefined
        : connectRedis('rate-limits', redisUrl, () => undefined, { commandTimeout: timeoutMs });
  }

  /**
   * @param remainingMs lifetime of a new count, at most `windowMs`
   * @returns undefined if the store is unavailable or late: nobody waits for it
   */
  async add(key: string, points: number, remainingMs: number, windowMs: number): Promise<Tally | undefined> {
    const now = performance.now();
    if (this.#isUnavailable && now - this.#triedAt < retryAfterMs) return undefined;
    this.#triedAt = now;
    try {
      const lifetimeMs = Math.max(remainingMs, 1);
      const pending = this.#redis
        ? addInRedis(this.#redis, key, points, lifetimeMs)
        : addInDatabase(this.#connections, key, points, [lifetimeMs, windowMs]);
      const tally = await inTime(this.#timeoutMs, pending);
      if (this.#isUnavailable) log.info('the store of rate limits is back: processes count together again');
      this.#isUnavailable = false;
      return tally;
    } catch (error) {
      if (!this.#isUnavailable)
        log.warn({ error }, 'the store of rate limits is unavailable: each process counts alone');
      this.#isUnavailable = true;
      return undefined;
    }
  }

  close(): void {
    this.#redis?.disconnect();
  }
}
