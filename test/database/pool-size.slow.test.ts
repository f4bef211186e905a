import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { requestsOf } from './outage.ts';

const size = 8;
/** The listener for changes and the probe. */
const extraConnections = 2;

describe(`a process with DATABASE_POOL_SIZE=${size}`, () => {
  let service: Service;
  let users: User[];
  beforeAll(async () => {
    service = await startService({ DATABASE_POOL_SIZE: String(size) });
    users = await Promise.all(Array.from({ length: 4 }, () => signUp(service)));
    for (const user of users) await makeTask(user);
  });
  afterAll(() => service.close());

  const connections = () =>
    service.sql(`SELECT pid FROM pg_stat_activity WHERE datname = current_database()
      AND application_name LIKE 'taskgate%' AND application_name <> 'taskgate-test'`);

  async function mixedLoad(): Promise<number[]> {
    const kinds = users.flatMap((user) => [
      // Without sign-ins: mails and password hashes say nothing about connections.
      ...requestsOf(service, user).filter((_send, index) => index < 4),
      () =>
        user
          .graphql('{ tasks { nodes { title children { title } } } }')
          .then(({ errors }) => ({ status: errors ? 503 : 200 })),
      () => user.get('/api/v2/sync'),
      () => user.get('/api/v2/projects'),
    ]);
    const sent = Array.from({ length: 2 }, () => kinds).flat();
    const answers = await Promise.all(sent.map((send) => send()));
    return [...new Set(answers.map(({ status }) => status))].sort();
  }

  test('opens no more connections, and answers all simultaneous requests', async () => {
    expect(await mixedLoad()).toEqual([200, 201]);
    expect((await connections()).length).toBeLessThanOrEqual(size + extraConnections);
  });

  test('works with fewer connections if the server allows no more', async () => {
    const limit = (connections: number) =>
      service.sql(
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT ${connections}', current_database()); END $$`,
      );
    const own = `datname = current_database() AND application_name = 'taskgate-test'`;
    const [row] = await service.sql<{ count: number }>(`SELECT count(*)::int FROM pg_stat_activity WHERE ${own}`);
    await limit((row?.count ?? 0) + extraConnections + 3);
    try {
      await service.sql(
        `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'taskgate'`,
      );
      expect(await mixedLoad()).toEqual([200, 201]);
    } finally {
      await limit(-1);
    }
  });
});
