import { createRequire } from 'node:module';
import type { Redis, RedisOptions } from 'ioredis';
import { backoffMs } from './backoff.ts';
import { labelledGauge } from './metrics.ts';

const require = createRequire(import.meta.url);

const connected = labelledGauge(
  'taskgate_redis_connected',
  'Whether a connection to Redis is there: 0 while it is lost.',
  'use',
);

/**
 * A connection to Redis that reconnects for as long as it is lost. Meanwhile commands fail at once: sending them later would be useless.
 * @param use label of the metric
 * @param onError called for each loss, and for each try to connect that fails
 */
export function connectRedis(
  use: 'publish' | 'subscribe' | 'rate-limits',
  url: string,
  onError: (error: Error) => void,
  options: RedisOptions = {},
): Redis {
  // Loaded where Redis is configured: it would lengthen every other start.
  const ioredis = require('ioredis') as { Redis: typeof Redis };
  const redis = new ioredis.Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: backoffMs,
    ...options,
  });
  redis.on('error', onError);
  connected.of(use, () => Number(redis.status === 'ready'));
  return redis;
}
