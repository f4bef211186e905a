import { hourly } from '@taskgate/postgres';
import { pruneStoredResponses } from '../platform/idempotency.ts';
import { defineModule } from '../platform/module.ts';

export const http = defineModule({
  name: 'http',
  expiring: { rateLimits: { table: 'rate_limits', key: 'key', moment: 'expires_at' } },
  background: ({ changes, connections }) => [
    hourly('pruning of stored responses', () => pruneStoredResponses(connections, changes.retentionDays)),
  ],
});
