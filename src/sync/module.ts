import { defineModule } from '../platform/module.ts';
import type { BaseServices } from '../platform/services.ts';
import { syncTurns } from './subscription.ts';

export const sync = defineModule({
  name: 'sync',
  services: ({ connections }: BaseServices) => ({ syncReads: syncTurns(connections) }),
});
