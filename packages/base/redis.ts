import { createRequire } from 'node:module';
import type { Redis, RedisOptions } from 'ioredis';
import { backoffMs } from './backoff.ts';
import { labelledGauge } from './metrics.ts';

const require = createRequire(import.meta.url);

const connected = labelledGauge(
  'taskgate_redis_connected',
  'Whether a connection to Redis is up (1) or lost (0).',
  'use',
);

/**
 * Opens a connection that reconnects without limit. While it is lost, commands fail at once.
 * @param onError called for each loss and each failed attempt
 */
export function connectRedis(
  use: 'publish' | 'subscribe' | 'rate-limits',
  url: string,
  onError: (error: Error) => void,
  options: RedisOptions = {},
): Redis {
  // On demand, because it slows every start.
  const ioredis = require('ioredis') as { Redis: typeof Redis };
  const redis = new ioredis.Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: backoffMs,
    ...options,
  });
  redis.on('error', onError);
  connected.track(use, () => Number(redis.status === 'ready'));
  return redis;
}
