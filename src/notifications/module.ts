import { defineModule } from '../platform/module.ts';

const day = 24 * 60 * 60;

export const notifications = defineModule({
  name: 'notifications',
  // Longer than reminders are planned ahead.
  expiring: { deliveries: { table: 'deliveries', key: 'id', moment: 'at', keptSeconds: 90 * day } },
});
