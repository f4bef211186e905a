import { expect } from '@jest/globals';
import { defaultPoolSize } from '@taskgate/postgres';
import type { Answer, Client } from '../kit/client.ts';
import type { CapturedLog } from '../kit/log-lines.ts';
import type { Service } from '../kit/service.ts';
import type { User } from '../kit/users.ts';
import { until, untilReady } from '../kit/until.ts';

export const requestsOf = (service: Service, user: User): (() => Promise<Answer<unknown>>)[] => {
  const { email, password } = user;
  return [
    () => user.get('/api/v2/todo'),
    () => user.get('/api/v1/auth-check'),
    () => user.post('/api/v2/todo', { title: 'Written in an outage' }),
    () => user.patch(`/api/v2/todo/bulk?todoIds=${crypto.randomUUID()}`, { completed: true }),
    () => service.anonymous.post('/api/v1/user/signin', { email, password }),
    () => service.anonymous.post('/api/v1/user/signup/send-otp', { email }),
    () => postGraphql(user, '{ viewer { id } }'),
    () => postGraphql(user, 'mutation { createTag(name: "lost") { id } }'),
  ];
};

const postGraphql = (client: Client, query: string) =>
  client.post('/graphql', { query }, { headers: { 'x-graphql-yoga-csrf': '1' } });

export function expectUnavailable({ status, headers, body }: Answer<unknown>): void {
  const { code, errors } = body as { code?: string; errors?: { extensions: { code: string } }[] };
  expect({ status, code: code ?? errors?.[0]?.extensions.code }).toEqual({ status: 503, code: 'UNAVAILABLE' });
  expect(headers.get('retry-after')).toBe('1');
}

/** Expects refusals even beyond the number of connections, and a process that survives. */
export async function expectAllRefused(service: Service, user: User): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => requestsOf(service, user))
      .flat()
      .map((send) => send()),
  );
  for (const answer of answers) expectUnavailable(answer);
  expect(await service.anonymous.get('/healthz')).toMatchObject({ status: 200 });
  expect(await service.anonymous.get('/readyz')).toMatchObject({ status: 503 });
}

/** Waits without sending requests, then expects that everything works at once. */
export async function expectAllServed(service: Service, user: User): Promise<void> {
  await untilReady(service);
  for (const send of requestsOf(service, user)) expect((await send()).status).toBeLessThan(400);
  const open = `
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'taskgate%'
      AND application_name <> 'taskgate-test'`;
  // Plus the listener and the probe. A server that was stopped ends abandoned connections later.
  const maxConnections = defaultPoolSize + 2;
  await until(
    `no more than ${maxConnections} connections`,
    async () => (await service.sql(open)).length <= maxConnections,
  );
}

export const unavailableMessage = 'the database is unavailable';
export const backLine = 'the database is back';

export function expectTwoLines({ lines }: CapturedLog): void {
  const messages = lines.filter(({ level, msg }) => level >= 40 && msg !== 'request').map(({ msg }) => msg);
  expect(messages).toEqual([unavailableMessage]);
  expect(lines.filter(({ msg }) => msg === backLine)).toHaveLength(1);
}
