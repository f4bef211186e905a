import { hourly } from '@taskgate/postgres';
import { defineModule } from '../platform/module.ts';
import type { BaseServices } from '../platform/services.ts';
import { pruneInvitations } from './invitation-rules.ts';

export const workspaces = defineModule({
  name: 'workspaces',
  services: (_base: BaseServices, { rateLimits }: { rateLimits: boolean }) => ({
    workspaces: { limitsInvitations: rateLimits },
  }),
  background: ({ connections }) => [hourly('pruning of invitations', () => pruneInvitations(connections))],
});
