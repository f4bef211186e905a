import { createHmac } from 'node:crypto';
import type { guardedFetch } from '@taskgate/http';
import { version } from '../platform/package.ts';
import type { WebhookAttempt } from './data.ts';
import type { HeldWebhook } from './delivery-data.ts';
import { splitSecrets, unsealSecrets } from './secrets.ts';

export const attemptMs = 15_000;

export interface OutgoingMessage {
  id: string;
  type: string;
  body: string;
  changes: number;
}

/** An attempt to send a message. @returns the attempt, and the seconds that the endpoint asked to wait */
export async function post(
  fetch: ReturnType<typeof guardedFetch>,
  keys: readonly string[],
  hook: HeldWebhook,
  { id, body, type, changes }: OutgoingMessage,
  ended?: AbortSignal,
): Promise<{ attempt: WebhookAttempt; retryAfter: number }> {
  const { url, now } = hook;
  const begun = performance.now();
  const timestamp = Math.floor(now.getTime() / 1000);
  const secrets = splitSecrets(unsealSecrets(keys, hook.id, hook.secrets), hook.secretsInUse);
  const deadline = AbortSignal.timeout(attemptMs);
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': `Taskgate-Webhooks/${version}`,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': secrets.map((secret) => signatureOf(secret, `${id}.${timestamp}.${body}`)).join(' '),
    },
    body,
    signal: ended ? AbortSignal.any([deadline, ended]) : deadline,
  }).catch(() => undefined);
  const late = 'The endpoint did not answer within 15 seconds.';
  const unanswered = deadline.aborted ? late : 'The endpoint could not be reached.';
  const [status, error] = answer ? [answer.status, errorOf(answer.status)] : [null, unanswered];
  const ms = Math.round(performance.now() - begun);
  return {
    attempt: { messageId: id, type, at: now, ms, changes, status, error },
    retryAfter: secondsOf(answer?.headers.get('retry-after'), now),
  };
}

/** As Standard Webhooks 1.0 demands. */
const signatureOf = (secret: Uint8Array, text: string): string =>
  `v1,${createHmac('sha256', secret).update(text).digest('base64')}`;

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'The endpoint redirects.' : `The endpoint answered ${status}.`;
}

/** RFC 9110, 10.2.3. */
function secondsOf(retryAfter: string | null | undefined, now: Date): number {
  if (!retryAfter) return 0;
  const moment = new Date(retryAfter).getTime();
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (moment - now.getTime()) / 1000;
  return Number.isFinite(seconds) ? Math.max(seconds, 0) : 0;
}
