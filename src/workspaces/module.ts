import { hourly } from '@taskgate/postgres';
import { defineModule } from '../platform/module.ts';
import { pruneInvitations } from './invitation-rules.ts';

export const workspaces = defineModule({
  name: 'workspaces',
  background: ({ connections }) => [hourly('pruning of invitations', () => pruneInvitations(connections))],
});
