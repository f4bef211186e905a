import { facts, link, type Mail, mailOf, paragraph } from './layout.ts';
import { writtenByUser } from './text.ts';

interface FailedWebhook {
  /** Host of the webhook's URL, whose other parts may have secrets. */
  host: string;
  reason: string;
  appUrl: string;
}

const about = ({ host, reason }: FailedWebhook) => facts({ Endpoint: writtenByUser(host), Reason: reason });

export const webhookFailingMail = (webhook: FailedWebhook): Mail =>
  mailOf({
    subject: 'A webhook of your Taskgate account has failed for a day',
    body: [
      paragraph`The endpoint of one of your webhooks has taken no message for a day. Attempts go on, and nothing is left out.`,
      about(webhook),
      paragraph`After five days the webhook is disabled. Test it at ${link(webhook.appUrl)}.`,
    ],
  });

export const webhookDisabledMail = (webhook: FailedWebhook): Mail =>
  mailOf({
    subject: 'A webhook of your Taskgate account was disabled',
    body: [
      paragraph`One of your webhooks was disabled. It sends no more messages.`,
      about(webhook),
      paragraph`You can resume it at ${link(webhook.appUrl)}. It continues at its position while the change log goes back so far.`,
    ],
  });
