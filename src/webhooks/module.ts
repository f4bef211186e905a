import type { Networks } from '@taskgate/http';
import { type Clock, databaseClock, hourly } from '@taskgate/postgres';
import { defineModule, type OnStop } from '../platform/module.ts';
import type { Services } from '../platform/services.ts';
import { resealSecrets } from './secrets.ts';
import { WebhookSender } from './sender.ts';

declare module '../platform/services.ts' {
  interface Services {
    webhooks: WebhookSender;
  }
}

interface Settings {
  clock?: Clock | undefined;
  outgoingNetworks: Networks | undefined;
  changeRetentionDays: number;
}

export const webhooks = defineModule({
  name: 'webhooks',
  services(
    {
      accounts,
      changes,
      connections,
      mailer,
      secrets,
    }: Pick<Services, 'accounts' | 'changes' | 'connections' | 'mailer' | 'secrets'>,
    { clock = databaseClock, outgoingNetworks, changeRetentionDays }: Settings,
    onStop: OnStop,
  ) {
    const webhooks = new WebhookSender({
      ...{ connections, clock, secrets, mailer },
      networks: outgoingNetworks,
      retentionDays: changeRetentionDays,
      viewerOf: (id) => accounts.credentials.ofWebhook(id),
    });
    // Both wait for servers that do not respond: one after the other, the stop would end before the mails are released.
    onStop(() => Promise.all([webhooks.close(), mailer.close()]));
    changes.onOwnChange(webhooks.changed);
    return { webhooks };
  },
  background: ({ connections, secrets }) => [
    hourly('encryption of secrets of webhooks with the current key', () => resealSecrets(connections, secrets)),
  ],
});
