import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { prune } from '@taskgate/postgres';
import { http } from '../../../src/http/module.ts';
import { RateLimitStore, type Tally } from '../rate-limit-store.ts';
import { RateLimit } from '../rate-limits.ts';
import { advanceClock, withWrongClock } from '../../../test/kit/clock.ts';
import { openLockHolder } from '../../../test/kit/locks.ts';
import { randomName } from '../../../test/kit/random.ts';
import { scrape, withMetrics } from '../../../test/kit/metrics.ts';
import { type RedisServer, startRedis } from '../../../test/kit/redis.ts';
import { type Service, startService } from '../../../test/kit/service.ts';
import { recordStatements } from '../../../test/kit/statements.ts';
import { until } from '../../../test/kit/until.ts';

const hour = 3_600_000;
const windowSeconds = 60;

let service: Service;
let redis: RedisServer | undefined;
beforeAll(async () => {
  service = await startService(withMetrics);
  redis = await startRedis();
});
afterAll(async () => {
  await redis?.stop();
  await service.close();
});

/** A limit of one process. A second one with the same name is another process. */
const limit = (name: string, quota: number, store = new RateLimitStore(service.services.connections)) =>
  new RateLimit({ policy: { name, quota, windowSeconds }, store, message: 'Too many tries' });
const nearlyAll: unknown = expect.closeTo(windowSeconds, -1);
const refused = expect.objectContaining({ code: 'RATE_LIMITED', retryAfter: nearlyAll });
const refusal = { code: 'RATE_LIMITED', retryAfter: nearlyAll, extensions: { retryAfter: nearlyAll } };

function takeAll(own: RateLimit, subject: string): number {
  for (let taken = 0; ; taken += 1) {
    try {
      own.take(subject);
    } catch (error) {
      expect(error).toMatchObject({ code: 'RATE_LIMITED' });
      return taken;
    }
  }
}

const told = (name: string, points: number) =>
  until(`the store has ${points} points`, async () => {
    const [row] = await service.sql<{ points: number }>('SELECT points FROM rate_limits WHERE key LIKE $1', [
      `${name}:%`,
    ]);
    return (row?.points ?? 0) >= points;
  });

/** The statements that count for a limit. Limits of earlier tests may still be written. */
async function recordCounts(name: string, work: () => Promise<unknown>) {
  const { statements } = await recordStatements(work);
  return statements.filter(({ sql, values }) => sql.includes('rate_limits') && JSON.stringify(values).includes(name));
}

describe('an exact count', () => {
  test('separates subjects of any length', async () => {
    const own = limit(randomName('limit'), 2);
    for (const subject of ['', 'a', 'x'.repeat(300), 'x'.repeat(1_000_000), '🦊'.repeat(5000)]) {
      await own.consume(subject);
      await own.consume(subject);
      await expect(own.consume(subject)).rejects.toMatchObject(refusal);
    }
  });

  test('is exact over all processes, however many events come at once', async () => {
    const name = randomName('limit');
    // A patient store: after a timeout, only the own process would count.
    const process = () => limit(name, 20, new RateLimitStore(service.services.connections, undefined, 60_000));
    const processes = [process(), process(), process()];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 90 }, async (_, index) => processes[index % 3]?.consume('anna')),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
  });

  test.each([-hour, hour])(
    "uses the database's clock even if the clock of the process is off by %i ms",
    async (off) => {
      const name = randomName('limit');
      await limit(name, 2).consume('anna');
      await withWrongClock(off, () => limit(name, 2).consume('anna'));
      await withWrongClock(off, () => expect(limit(name, 2).consume('anna')).rejects.toMatchObject(refusal));
      await expect(limit(name, 2).consume('anna')).rejects.toMatchObject(refusal);
      await service.sql("UPDATE rate_limits SET expires_at = now() - interval '1 ms' WHERE key LIKE $1 || ':%'", [
        name,
      ]);
      await withWrongClock(off, () => limit(name, 2).consume('anna'));
      await withWrongClock(off, () => limit(name, 2).consume('anna'));
      await expect(limit(name, 2).consume('anna')).rejects.toMatchObject(refusal);
    },
  );

  test('is over if it would last longer than a window, because the clock of the database was set back', async () => {
    const name = randomName('limit');
    for (let count = 0; count < 2; count += 1) await limit(name, 2).consume('anna');
    await service.sql("UPDATE rate_limits SET expires_at = expires_at + interval '1 day' WHERE key LIKE $1 || ':%'", [
      name,
    ]);
    for (let count = 0; count < 2; count += 1) await limit(name, 2).consume('anna');
    await expect(limit(name, 2).consume('anna')).rejects.toMatchObject(refusal);
  });

  test('is deleted in PostgreSQL after its window, and not before', async () => {
    await prune(service.services.connections, http.expiring.rateLimits);
    const name = randomName('limit');
    await limit(name, 1).consume('anna');
    await service.sql(
      `INSERT INTO rate_limits SELECT 'old:' || n, 1, now() - n * interval '1 ms' FROM generate_series(1, 2500) AS n`,
    );
    expect(await withWrongClock(24 * hour, () => prune(service.services.connections, http.expiring.rateLimits))).toBe(
      2500,
    );
    await expect(limit(name, 1).consume('anna')).rejects.toMatchObject(refusal);
  });

  test('refuses without a statement after the first refusal', async () => {
    const name = randomName('limit');
    const own = limit(name, 1);
    await own.consume('anna');
    const statements = await recordCounts(name, async () => {
      for (let count = 0; count < 100; count += 1) await expect(own.consume('anna')).rejects.toMatchObject(refusal);
    });
    expect(statements).toEqual([]);
  });
});

describe('a count in blocks', () => {
  test('costs no statement below a fiftieth of the limit, and one for each fiftieth', async () => {
    const name = randomName('limit');
    const own = limit(name, 1000);
    const statements = await recordCounts(name, () => {
      for (let count = 1; count < 20; count += 1) own.take('anna');
      return Promise.resolve();
    });
    expect(statements).toEqual([]);
    const more = await recordCounts(name, async () => {
      for (let block = 1; block <= 49; block += 1) {
        for (let count = 0; count < 20; count += 1) own.take('anna');
        await service.anonymous.get('/healthz');
      }
    });
    expect(more.length).toBeGreaterThan(0);
    expect(more.length).toBeLessThanOrEqual(50);
    await told(name, 980);
    expect(takeAll(own, 'anna')).toBe(1);
    expect(takeAll(own, 'anna')).toBe(0);
  });

  test('syncs a few subjects at once, however many there are', async () => {
    const name = randomName('limit');
    const own = limit(name, 10);
    // The lock holds every sync until the last one has begun.
    const held = await openLockHolder(service);
    await held.sql('LOCK TABLE rate_limits IN ACCESS EXCLUSIVE MODE');
    const statements = await recordCounts(name, async () => {
      for (let subject = 0; subject < 1000; subject += 1) own.take(`subject ${subject}`);
      await service.anonymous.get('/healthz');
    });
    await held.release();
    expect(statements.length).toBeLessThanOrEqual(20);
  });

  test('is exact over all processes, except for a block of each', async () => {
    const name = randomName('limit');
    const [one, two, three] = [limit(name, 100), limit(name, 100), limit(name, 100)];
    for (let count = 1; count <= 50; count += 1) {
      one.take('anna');
      two.take('anna');
    }
    await told(name, 96);
    const [left, other] = [takeAll(one, 'anna'), takeAll(two, 'anna')];
    expect(left + other).toBeLessThanOrEqual(100);
    await told(name, 100);
    // Its first own block tells it about the others.
    expect(three.take('anna')).toMatchObject({ remaining: 99 });
    expect(three.take('anna')).toMatchObject({ remaining: 98 });
    await until('it has learnt of the others', () => three.policy.quota - (standingOf(three) ?? 0) >= 100);
    expect(takeAll(three, 'anna')).toBe(0);
  });

  function standingOf(own: RateLimit): number | undefined {
    try {
      own.requireOpen('anna');
      return own.take('anna')?.remaining;
    } catch {
      return undefined;
    }
  }

  test('beyond the remaining quota is refused, and takes the rest', () => {
    const own = limit(randomName('limit'), 100);
    own.take('anna', 60);
    expect(() => own.take('anna', 60)).toThrow(refused);
    expect(() => own.take('anna', 1)).toThrow(refused);
    expect(() => own.requireOpen('anna')).toThrow(refused);
    expect(own.take('ben', 100)).toMatchObject({ remaining: 0, resetSeconds: windowSeconds });
    expect(() => own.requireOpen('ben')).toThrow(refused);
    own.requireOpen('cleo');
    expect(['anna', 'ben', 'cleo'].map((subject) => own.isSpent(subject))).toEqual([true, true, false]);
  });

  test('is refused as long as another limit refuses it, and no longer', () => {
    const own = limit(randomName('limit'), 100);
    own.take('anna', 10);
    own.refuseFor('anna', 5);
    const forFive = expect.objectContaining({ code: 'RATE_LIMITED', retryAfter: 5 });
    expect(() => own.requireOpen('anna')).toThrow(forFive);
    expect(() => own.take('anna')).toThrow(forFive);
    advanceClock(5000);
    own.requireOpen('anna');
    expect(own.take('anna')).toMatchObject({ remaining: 89, resetSeconds: windowSeconds - 5 });
    advanceClock(windowSeconds * 1000);
    expect(own.take('anna')).toMatchObject({ remaining: 99, resetSeconds: windowSeconds });
  });

  test('has a bounded number of subjects', () => {
    const own = limit(randomName('limit'), 1000);
    expect(own.take('anna', 15)).toMatchObject({ remaining: 985 });
    for (let subject = 0; subject < 50_000; subject += 1) own.take(`subject ${subject}`);
    // The first subject is forgotten.
    expect(own.take('anna')).toMatchObject({ remaining: 999 });
  });
});

describe('an unavailable store', () => {
  test('refuses and delays nobody: each process counts separately', async () => {
    const store = new RateLimitStore(service.services.connections, 'redis://127.0.0.1:1');
    const own = limit(randomName('limit'), 100, store);
    expect(takeAll(own, 'anna')).toBe(100);
    for (let count = 0; count < 100; count += 1) await own.consume('ben');
    await expect(own.consume('ben')).rejects.toMatchObject(refusal);
    store.close();
  });

  test('is not waited for if it never responds', () => {
    const silent = { add: () => new Promise<Tally>(() => undefined) } as unknown as RateLimitStore;
    const own = limit(randomName('limit'), 100, silent);
    expect(takeAll(own, 'anna')).toBe(100);
  });
});

const connected = (store: RateLimitStore) =>
  until('the store answers', async () => Boolean(await store.add(randomName('probe'), 1, 1000, 1000)));

describe('counts in Redis', () => {
  test('are exact over all processes, and expire with their window', async () => {
    if (!redis) return console.warn('not tried: there is no redis-server on this machine');
    const { url } = redis;
    const name = randomName('limit');
    const stores = [
      new RateLimitStore(service.services.connections, url),
      new RateLimitStore(service.services.connections, url),
    ];
    // A store that answers is connected.
    for (const store of stores) await connected(store);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) => limit(name, 10, stores[index % 2]).consume('anna')),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect((await service.sql('SELECT FROM rate_limits WHERE key LIKE $1', [`${name}:%`])).length).toBe(0);
    const [store] = stores;
    const key = randomName('key');
    expect(await store?.add(key, 5, 40_000, 90_000)).toMatchObject({ points: 5 });
    const again = await store?.add(key, 5, 90_000, 90_000);
    expect(again).toMatchObject({ points: 10 });
    expect(again?.remainingMs).toBeLessThanOrEqual(40_000);
    expect(again?.remainingMs).toBeGreaterThan(0);
    for (const each of stores) each.close();
  });

  test('continue in memory while it is unavailable, which a metric shows', async () => {
    const own = await startRedis();
    if (!own) return console.warn('not tried: there is no redis-server on this machine');
    const store = new RateLimitStore(service.services.connections, own.url);
    await connected(store);
    const isConnected = async () =>
      (await scrape(service.url)).value('taskgate_redis_connected', { use: 'rate-limits' });
    expect(await isConnected()).toBe(1);
    const held = limit(randomName('limit'), 4, store);
    await held.consume('anna');
    await own.stop();
    await until('its connection counts as lost', async () => (await isConnected()) === 0);
    for (let count = 2; count <= 4; count += 1) await held.consume('anna');
    await expect(held.consume('anna')).rejects.toMatchObject(refusal);
    store.close();
  });
});
