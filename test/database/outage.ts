import { expect } from '@jest/globals';
import type { Answer, Client } from '../kit/client.ts';
import type { CapturedLog } from '../kit/log-lines.ts';
import type { Service } from '../kit/service.ts';
import type { User } from '../kit/users.ts';
import { defaultPoolSize } from '../../src/database/pool-sizes.ts';
import { until, untilReady } from '../kit/until.ts';

/** One request of each kind: what they have in common is that each needs the database. */
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

/** Checks a response against what clients get while the database is away, over REST or GraphQL. */
export function expectUnavailable({ status, headers, body }: Answer<unknown>): void {
  const { code, errors } = body as { code?: string; errors?: { extensions: { code: string } }[] };
  expect({ status, code: code ?? errors?.[0]?.extensions.code }).toEqual({ status: 503, code: 'UNAVAILABLE' });
  expect(headers.get('retry-after')).toBe('1');
}

/** Every kind of request is refused, more at once than there are connections, and the process goes on to live. */
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

/** Waits until it is back, without any request's help, and holds that everything works at once. */
export async function expectAllServed(service: Service, user: User): Promise<void> {
  await untilReady(service);
  for (const send of requestsOf(service, user)) expect((await send()).status).toBeLessThan(400);
  const open = `
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'taskgate%'
      AND application_name <> 'taskgate-test'`;
  // And those that listen and probe. A server that was stopped ends those that were given up when it gets to them.
  const most = defaultPoolSize + 2;
  await until(`no more than ${most} connections`, async () => (await service.sql(open)).length <= most);
}

export const awayLine = 'the database is unavailable';
export const backLine = 'the database is back';

/** What operators read of an outage is two lines, however many requests met it. */
export function expectTwoLines({ lines }: CapturedLog): void {
  const told = lines.filter(({ level, msg }) => level >= 40 && msg !== 'request').map(({ msg }) => msg);
  expect(told).toEqual([awayLine]);
  expect(lines.filter(({ msg }) => msg === backLine)).toHaveLength(1);
}
