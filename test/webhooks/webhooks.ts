import type { Client } from '../kit/client.ts';
import type { Service } from '../kit/service.ts';
import { until } from '../kit/until.ts';

export interface ShownWebhook {
  id: string;
  url: string;
  state: string;
  kinds: string[];
  fields: string[] | null;
  spaceIds: string[] | null;
  maxChanges: number;
  client: string | null;
  reason: string | null;
  createdAt: string;
  failingSince: string | null;
  deliveredAt: string | null;
}

export interface ShownAttempt {
  messageId: string;
  type: string;
  at: string;
  ms: number;
  changes: number;
  status: number | null;
  error: string | null;
}

/** Allows endpoints of this machine. */
export const nearby = { OUTGOING_NETWORKS: '127.0.0.0/8' };

export async function makeWebhook(
  user: Client,
  url: string,
  input: object = {},
): Promise<{ webhook: ShownWebhook; secret: string }> {
  const { status, body } = await user.post<{ webhook: ShownWebhook; secret: string }>('/api/v2/webhooks', {
    url,
    ...input,
  });
  if (status !== 201) throw new Error(`making a webhook answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

export const webhooksOf = async (user: Client): Promise<ShownWebhook[]> =>
  (await user.get<{ webhooks: ShownWebhook[] }>('/api/v2/webhooks')).body.webhooks;

export const attemptsOf = async (user: Client, id: string): Promise<ShownAttempt[]> =>
  (await user.get<{ attempts: ShownAttempt[] }>(`/api/v2/webhooks/${id}/attempts`)).body.attempts;

export async function changeWebhook(user: Client, id: string, input: object): Promise<ShownWebhook> {
  const { status, body } = await user.patch<{ webhook: ShownWebhook }>(`/api/v2/webhooks/${id}`, input);
  if (status !== 200) throw new Error(`changing a webhook answered ${status}: ${JSON.stringify(body)}`);
  return body.webhook;
}

interface Row {
  state: string;
  reason: string | null;
  failures: number;
  next_at: Date | null;
  leased_until: Date | null;
  message_id: string | null;
  failing_since: Date | null;
  seconds: number;
}

export async function rowOf(service: Service, id: string): Promise<Row> {
  const [row] = await service.sql<Row>(
    `SELECT state, reason, failures, next_at, leased_until, message_id, failing_since,
      extract(epoch FROM next_at - now())::float8 AS seconds FROM webhooks WHERE id = $1`,
    [id],
  );
  if (!row) throw new Error('the webhook is gone');
  return row;
}

/** Waits until an attempt has been recorded. */
export const untilReleased = (service: Service, id: string, is: (row: Row) => boolean = () => true): Promise<void> =>
  until('the record of an attempt', async () => {
    const row = await rowOf(service, id);
    return row.leased_until === null && is(row);
  });

/** Waits until nothing is left to send. */
export const untilIdle = (service: Service, id: string): Promise<void> =>
  untilReleased(service, id, ({ next_at }) => next_at === null);

/** Makes the next attempt due now. */
export const retryNow = (service: Service, id: string) =>
  service.sql('UPDATE webhooks SET next_at = now() WHERE id = $1', [id]);
