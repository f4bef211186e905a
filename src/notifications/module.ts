import path from 'node:path';
import { type Clock, databaseClock, every } from '@taskgate/postgres';
import { defineModule, type OnStop } from '../platform/module.ts';
import type { Services } from '../platform/services.ts';
import { setForTriggers } from '../platform/trigger-settings.ts';
import { Mailer } from './mailer.ts';
import { expediteRetries } from './outbox-data.ts';
import { Planner } from './planner.ts';
import { unsubscribePages } from './unsubscribe-pages.ts';

const day = 24 * 60 * 60;
const minuteMs = 60_000;

interface Settings {
  clock?: Clock | undefined;
  smtpUrl: string | undefined;
  mailFrom: string;
  dataDir: string;
  publicUrl: string;
  appUrl: string | undefined;
  notificationMailSeconds: number;
}

export const notifications = defineModule({
  name: 'notifications',
  async services(
    { changes, connections, secrets }: Pick<Services, 'changes' | 'connections' | 'secrets'>,
    {
      clock = databaseClock,
      smtpUrl,
      mailFrom,
      dataDir,
      publicUrl,
      appUrl = publicUrl,
      notificationMailSeconds,
    }: Settings,
    onStop: OnStop,
  ) {
    await setForTriggers(connections, 'mail_settings', notificationMailSeconds);
    const outbox = path.join(dataDir, 'outbox');
    const mailer = new Mailer({ connections, clock, smtpUrl, from: mailFrom, outbox, secrets, publicUrl, appUrl });
    onStop(() => mailer.close());
    const planner = new Planner(connections, clock, () => mailer.wake());
    onStop(() => planner.close());
    changes.onOwnChange(planner.wake);
    return { mailer, planner };
  },
  endpoints: (services) => [{ path: '/unsubscribe', isLimited: true, handler: unsubscribePages(services) }],
  background: ({ connections, mailer }) => [
    every(minuteMs, 'retries of mails ahead of the clock', () => expediteRetries(connections, mailer.clock)),
  ],
  // Longer than reminders are planned ahead.
  expiring: { deliveries: { table: 'deliveries', key: 'id', moment: 'at', keptSeconds: 90 * day } },
});
