import { loadOf } from '../../packages/work/load.ts';
import { encrypt } from '../../src/notifications/encryption.ts';
import { newId } from '../../src/platform/ids.ts';
import { withMetrics } from '../kit/metrics.ts';
import { Endpoint } from '../webhooks/endpoint.ts';
import { nearby } from '../webhooks/webhooks.ts';
import { openSmtpSink, type SmtpSink } from '../kit/smtp-sink.ts';
import { type Service, startService } from '../kit/service.ts';
import { fill } from '../kit/tasks.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { cursorOfNow } from '../changes/stream.ts';
import { FixedClock } from '../notifications/deliveries.ts';

const hostileAccounts = 7;

/** Domain whose mail server hangs during a test. */
export const slowDomain = 'slow.example';

export const noon = '2026-11-24T12:00:00.000Z';

export interface World {
  service: Service;
  sink: SmtpSink;
  hostile: User[];
  neighbour: User;
  /** Change cursors from before the accounts' content. */
  cursors: Map<User, string>;
  /** Of webhooks. */
  endpoint: Endpoint;
  /** Webhooks of hostile accounts. */
  hostileHooks: Set<string>;
  close(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const sink = await openSmtpSink();
  const endpoint = await Endpoint.open();
  const variables = { ...withMetrics, ...nearby, SMTP_URL: sink.url, TRUST_PROXY: 'loopback' };
  const service = await startService(variables, { clock: new FixedClock(noon) });
  const hostile = await Promise.all(Array.from({ length: hostileAccounts }, () => signUp(service)));
  const neighbour = await signUp(service);
  const cursors = new Map<User, string>();
  for (const user of [...hostile, neighbour]) {
    cursors.set(user, await cursorOfNow(user));
    await fill(service, user, 2_500, { description: 'x'.repeat(200) });
  }
  return {
    service,
    sink,
    hostile,
    neighbour,
    cursors,
    endpoint,
    hostileHooks: new Set(),
    async close() {
      await service.close();
      await endpoint.close();
      await sink.close();
    },
  };
}

/** Header with another client address for each account. */
export const addressOf = ({ hostile }: World, user: User) => ({
  'X-Forwarded-For': `192.0.${hostile.indexOf(user) + 1}.1`,
});

/** Plans a mail without the service. @param attempts number of its failures */
export async function planMail(
  { service }: World,
  { to, kind, attempts = 0 }: { to: string; kind: string; attempts?: number },
): Promise<void> {
  const id = newId('Delivery');
  const message = encrypt(service.services.secrets[0] ?? '', id, { to, subject: kind, text: 'x', html: 'x' });
  await service.sql(
    `INSERT INTO deliveries (id, kind, occurrence, at, expires_at, next_at, message, attempts)
     VALUES ($1, $2, $1, $3, $3::timestamptz + interval '1 day', $3, $4, $5)`,
    [id, kind, noon, message, attempts],
  );
}

export const planDigests = ({ service }: World, where: string, value: string) =>
  service.sql(
    `WITH preference AS (
       UPDATE preferences SET daily_digest = true, digest_time = '12:00'
       WHERE user_id IN (SELECT user_id FROM memberships WHERE ${where} = $1) RETURNING user_id
     )
     INSERT INTO deliveries (id, user_id, kind, occurrence, at, next_at, expires_at)
     SELECT 'dlvr_digest_' || user_id, user_id, 'DIGEST', left($2, 10), $2::timestamptz, $2::timestamptz,
       $2::timestamptz + interval '12 hours' FROM preference`,
    [value, noon],
  );

/** Of the members of a space, about one of its tasks. */
export const planActivity = async ({ service }: World, taskId: string) => {
  await service.sql(
    `INSERT INTO notification_events (user_id, task_id, reason)
     SELECT user_id, tasks.id, 'ASSIGNED' FROM tasks JOIN memberships USING (space_id) WHERE tasks.id = $1`,
    [taskId],
  );
  await service.sql(
    `UPDATE deliveries SET at = $1, next_at = $1, expires_at = $1::timestamptz + interval '1 day'
     WHERE kind = 'ACTIVITY' AND status = 'PLANNED'`,
    [noon],
  );
};

/** Adds members to a workspace of a hostile account. Their mail server hangs. */
export async function crowd({ service, hostile }: World, count: number): Promise<{ spaceId: string; taskId: string }> {
  const [owner] = hostile as [User];
  const spaceId = newId('Workspace');
  const [projectId, taskId] = [newId('Project'), newId('Task')];
  await service.sql("INSERT INTO spaces (id, kind, name) VALUES ($1, 'WORKSPACE', 'Crowd')", [spaceId]);
  await service.sql(
    `WITH member AS (SELECT 'user_crowd' || $1 || n AS id FROM generate_series(1, $2::int) AS n),
      space AS (INSERT INTO spaces (id, kind) SELECT id, 'PERSONAL' FROM member),
      inbox AS (INSERT INTO projects (id, space_id, name, slug, is_default) SELECT 'proj_' || id, id, 'Inbox', 'inbox', true FROM member),
      account AS (INSERT INTO users (id, email) SELECT id, id || '@' || $3 FROM member),
      preference AS (INSERT INTO preferences (user_id, email_enabled) SELECT id, true FROM member)
    INSERT INTO memberships (space_id, user_id) SELECT $1, id FROM member`,
    [spaceId, count, slowDomain],
  );
  await service.sql('INSERT INTO memberships (space_id, user_id) VALUES ($1, $2)', [spaceId, owner.id]);
  await service.sql("INSERT INTO projects (id, space_id, name, slug) VALUES ($1, $2, 'All', $1)", [projectId, spaceId]);
  await service.sql(
    `INSERT INTO tasks (id, space_id, project_id, title, sort_key, reminder, due_time, is_all_day)
     VALUES ($1, $2, $3, 'Crowd', 'a', true, $4::timestamptz + interval '30 minutes', false)`,
    [taskId, spaceId, projectId, noon],
  );
  return { spaceId, taskId };
}

export const isHostile = ({ hostile, hostileHooks }: World, key: string): boolean =>
  hostileHooks.has(key) ||
  key.endsWith(`@${slowDomain}`) ||
  hostile.some(({ id, sessionId, email }) => [id, sessionId, email].includes(key));

export const untilWaiting = (queue: string) =>
  until(`work waits in the queue ${queue}`, () => loadOf(queue).waiting > 0, 1);

/** A flood of one queue, and the neighbour's work there. */
export interface Case {
  /** Begins more work than the queue has slots. @param signal aborts the rest */
  flood(world: World, signal: AbortSignal): Promise<unknown>[] | Promise<Promise<unknown>[]>;
  ask(world: World): Promise<unknown>;
  /** Whether its turns are not a fair queue's. Then `ask` throws if the flood gets too many turns first. */
  isNoQueue?: boolean;
}

export const times = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));

export const ofEach = (world: World, count: number, work: (user: User) => Promise<unknown>) =>
  world.hostile.flatMap((user) => times(count, () => work(user)));

export const succeeds = async (response: Promise<{ status: number; body: unknown }>) => {
  const { status, body } = await response;
  if (status >= 300) throw new Error(`the neighbour gets ${status}: ${JSON.stringify(body)}`);
};

export const comes = (sink: World['sink'], { email }: User, subject: string) =>
  sink.untilMet(subject, () =>
    sink.mails.some((mail) => mail.recipient === email && mail.subject?.startsWith(subject) === true),
  );
