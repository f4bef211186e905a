import { hourly } from '@taskgate/postgres';
import { defineModule } from '../platform/module.ts';
import { pruneMutes } from './data.ts';

const day = 24 * 60 * 60;

export const activity = defineModule({
  name: 'activity',
  expiring: { events: { table: 'notification_events', key: 'id', moment: 'created_at', keptSeconds: 90 * day } },
  background: ({ connections }) => [hourly('pruning of mutes', () => pruneMutes(connections))],
});
