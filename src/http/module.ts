import { queryTurns, SubscriptionLimits } from '@taskgate/execution';
import { hourly } from '@taskgate/postgres';
import { cacheSizes } from '../platform/cache-sizes.ts';
import { pruneStoredResponses } from '../platform/idempotency.ts';
import { defineModule, type OnStop } from '../platform/module.ts';
import type { Rates } from '../platform/rate-limit-policies.ts';
import type { BaseServices } from '../platform/services.ts';
import { storedResponsesLimit } from './idempotency.ts';
import { type RequestLimitOptions, RequestLimits } from './request-limits.ts';
import { ResponseCache } from './response-cache.ts';

export const http = defineModule({
  name: 'http',
  services(
    { accounts: { keyIn }, rateLimits, securityLog }: BaseServices & { accounts: Pick<RequestLimitOptions, 'keyIn'> },
    settings: { cacheBytes: number; rateLimits: boolean; rates: Pick<Rates, 'sockets'> },
    onStop: OnStop,
  ) {
    const responses = new ResponseCache(cacheSizes(settings.cacheBytes).responses);
    onStop(() => responses.clear());
    return {
      responses,
      requestLimits: new RequestLimits({ ...rateLimits, securityLog, keyIn }),
      storedResponses: storedResponsesLimit(rateLimits.store),
      queries: queryTurns(),
      subscriptions: new SubscriptionLimits({
        enabled: settings.rateLimits,
        connectionsOfClient: settings.rates.sockets,
      }),
    };
  },
  expiring: { rateLimits: { table: 'rate_limits', key: 'key', moment: 'expires_at' } },
  background: ({ changes, connections }) => [
    hourly('pruning of stored responses', () => pruneStoredResponses(connections, changes.retentionDays)),
  ],
});
