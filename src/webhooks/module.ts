import type { Networks } from '@taskgate/http';
import { hourly } from '@taskgate/postgres';
import { defineModule, type OnStop } from '../platform/module.ts';
import { resealSecrets } from './secrets.ts';
import { type SenderServices, WebhookSender } from './sender.ts';

declare module '../platform/services.ts' {
  interface Services {
    webhooks: WebhookSender;
  }
}

export const webhooks = defineModule({
  name: 'webhooks',
  services(services: SenderServices, { outgoingNetworks }: { outgoingNetworks: Networks | undefined }, onStop: OnStop) {
    const webhooks = new WebhookSender(services, outgoingNetworks);
    onStop(() => webhooks.close());
    services.changes.onOwnChange(webhooks.changed);
    return { webhooks };
  },
  background: ({ connections, secrets }) => [
    hourly('encryption of secrets of webhooks with the current key', () => resealSecrets(connections, secrets)),
  ],
});
