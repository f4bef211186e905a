import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '../../../test/kit/client.ts';
import { endServices, spawnService } from '../../../test/kit/process.ts';
import { type RedisServer, startRedis } from '../../../test/kit/redis.ts';
import { type Service, startService } from '../../../test/kit/service.ts';
import { signInAgain, signUp, type User } from '../../../test/kit/users.ts';

/** Reads of a session: half the quota of an account. */
const quota = 50;
/** Uses that a process counts before and during a sync. No request waits for it, so a busy machine counts more. */
const unreportedPerProcess = 10;

let service: Service;
let anna: User;
let redis: RedisServer | undefined;
beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
  redis = await startRedis();
});
afterEach(() => endServices('SIGTERM'));
afterAll(async () => {
  await redis?.stop();
  await service.close();
});

async function start(variables: Record<string, string> = {}): Promise<string> {
  const started = await spawnService({
    ...service.variables,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_READS: `${2 * quota}/600`,
    RATE_LIMIT_CODES: '3/600',
    ...variables,
  });
  if (started.url === undefined) throw new Error(started.errors());
  return started.url;
}

async function readAlternately(urls: readonly string[], { cookie }: User): Promise<number> {
  const refusingUrls = new Set<string>();
  let answered = 0;
  while (refusingUrls.size < urls.length) {
    for (const url of urls) {
      const { status } = await new Client(url, cookie).get('/api/v2/tag');
      if (status === 200) answered += 1;
      else refusingUrls.add(url);
    }
  }
  return answered;
}

const stores = [
  ['PostgreSQL', (): Record<string, string> | undefined => ({})],
  ['Redis', (): Record<string, string> | undefined => redis && { REDIS_URL: redis.url }],
] as const;

describe.each(stores)('processes that count in %s', (_store, variables) => {
  test('apply the limit of a session together, except for unsynced counts', async () => {
    const own = variables();
    if (!own) return console.warn('not tried: there is no redis-server on this machine');
    const urls = [await start(own), await start(own)];
    const answered = await readAlternately(urls, await signInAgain(service, anna));
    expect(answered).toBeGreaterThanOrEqual(quota);
    expect(answered).toBeLessThanOrEqual(quota + urls.length * unreportedPerProcess);
  });
});

test('a process without Redis continues, and counts separately', async () => {
  const own = await startRedis();
  if (!own) return console.warn('not tried: there is no redis-server on this machine');
  const urls = [await start({ REDIS_URL: own.url }), await start({ REDIS_URL: own.url })];
  await own.stop();
  const answered = await readAlternately(urls, await signInAgain(service, anna));
  expect(answered).toBe(urls.length * quota);
});
