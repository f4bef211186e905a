import { connectRedis, log } from '@taskgate/base';
import { channelName, type OpenChannel } from './notifier.ts';

/** Costs PostgreSQL nothing. Without a connection, notifications are lost. */
export const redisChannel =
  (url: string): OpenChannel =>
  (receive, lost) => {
    /** Reconnections fail the same way. */
    let isAway = false;
    const warn = (error: Error) => {
      log[isAway ? 'debug' : 'warn']({ error: error.message }, 'Redis does not carry change notifications');
      isAway = true;
    };
    const connect = (use: 'publish' | 'subscribe') =>
      connectRedis(use, url, warn, { autoResubscribe: false, lazyConnect: true });
    const [publisher, subscriber] = [connect('publish'), connect('subscribe')];
    subscriber.on('message', (_channel: string, message: string) => receive(message));
    subscriber.on('ready', () => {
      if (isAway) log.info('Redis carries change notifications again');
      isAway = false;
      subscriber
        .subscribe(channelName)
        .then(lost, (error: unknown) => log.warn({ error }, 'Redis refuses change notifications'));
    });
    for (const redis of [publisher, subscriber]) redis.connect().catch(() => undefined);
    return {
      async send(message) {
        await publisher.publish(channelName, message);
      },
      close() {
        publisher.disconnect();
        subscriber.disconnect();
        return Promise.resolve();
      },
    };
  };
