import type { Client } from '../kit/client.ts';
import type { Service } from '../kit/service.ts';
import { until } from '../kit/until.ts';

export interface Claimed {
  fence: string;
  taskId: string;
  expiresAt: string;
}

type Answer = { claim: Claimed | null; todo: { id: string; title: string } | null };

export const claim = (caller: Client, body: object, headers: Record<string, string> = {}) =>
  caller.post<Answer & { code?: string }>('/api/v2/claims', body, { headers });

/** Claims a task. @throws if that is refused */
export async function mustClaim(caller: Client, taskId: string, seconds = 300): Promise<string> {
  const { status, body } = await claim(caller, { taskId, seconds });
  if (!body.claim) throw new Error(`claiming a task answered ${status}: ${JSON.stringify(body)}`);
  return body.claim.fence;
}

export const renew = (caller: Client, fence: string, body: object = {}) =>
  caller.post<{ claim: Claimed }>(`/api/v2/claims/${fence}/renew`, body);

export const release = (caller: Client, fence: string) => caller.delete(`/api/v2/claims/${fence}`);

export const under = (fence: string) => ({ headers: { 'X-Claim-Fence': fence } });

export const rename = (caller: Client, id: string, title: string, fence: string) =>
  caller.patch(`/api/v2/todo/${id}`, { title }, under(fence));

export interface ShownClaim {
  fence: string;
  holder: { id: string };
  client: string | null;
  since: string;
}

export async function claimOf(reader: Client, taskId: string): Promise<ShownClaim | null> {
  const { task } = await reader.data<{ task: { claim: ShownClaim | null } | null }>(
    'query ($id: ID!) { task(id: $id) { claim { fence holder { id } client since } } }',
    { id: taskId },
  );
  return task?.claim ?? null;
}

export const titleOf = async (reader: Client, id: string): Promise<string> =>
  (await reader.data<{ task: { title: string } }>('query ($id: ID!) { task(id: $id) { title } }', { id })).task.title;

/** Lets the time of a claim pass. */
export const expire = (service: Service, fence: string) =>
  service.sql('UPDATE claims SET expires_at = now() WHERE fence = $1', [fence]);

/** Waits until the row is gone. */
export const untilEnded = (service: Service, fence: string): Promise<void> =>
  until(
    'the end of a claim',
    async () => (await service.sql('SELECT FROM claims WHERE fence = $1', [fence])).length === 0,
  );

export interface LoggedChange {
  kind: string;
  taskId: string;
  changedFields: string[];
  operationId: string;
}

export async function cursorOf(reader: Client): Promise<string> {
  return (await reader.get<{ cursor: string }>('/api/v2/changes')).body.cursor;
}

export const changesAfter = async (reader: Client, cursor: string): Promise<LoggedChange[]> =>
  (await reader.get<{ changes: LoggedChange[] }>(`/api/v2/changes?after=${cursor}`)).body.changes;

export const lost = { status: 409, body: { code: 'CLAIM_LOST' } };
export const taken = { status: 409, body: { code: 'TASK_CLAIMED' } };
export const refused = { status: 403, body: { code: 'FORBIDDEN' } };
