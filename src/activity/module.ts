import { defineModule } from '../platform/module.ts';

const day = 24 * 60 * 60;

export const activity = defineModule({
  name: 'activity',
  expiring: { events: { table: 'notification_events', key: 'id', moment: 'created_at', keptSeconds: 90 * day } },
});
