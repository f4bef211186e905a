import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeTask } from '../kit/make.ts';
import { scrape, withMetrics } from '../kit/metrics.ts';
import { type Service, startService } from '../kit/service.ts';
import { type Replicated, startReplicated } from '../kit/standby.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';

let databases: Replicated;
let service: Service;
let user: User;
beforeAll(async () => {
  databases = await startReplicated('500ms');
  const variables = { ...withMetrics, DATABASE_READ_URLS: databases.standbyUrl };
  service = await startService(variables, { databaseUrl: databases.primaryUrl });
  user = await signUp(service);
});
afterAll(async () => {
  await service.close();
  await databases.close();
});

const reads = async (outcome: string) =>
  (await scrape(service.url)).value('taskgate_replica_reads_total', { outcome }) ?? 0;

/** Titles of all tasks, by an operation that no cache answers. */
let count = 0;
async function read(): Promise<string[]> {
  const query = `query Q${(count += 1)} { tasks(first: 500) { nodes { title } } }`;
  const { data } = await user.graphql<{ tasks: { nodes: { title: string }[] } }>(query);
  return data?.tasks.nodes.map(({ title }) => title) ?? [];
}

test('a read has all that was written before it, whatever the lag, and the replica takes those that it can', async () => {
  let stale = 0;
  for (let n = 0; n < 100; n += 1) {
    await makeTask(user, { title: `task ${n}` });
    if ((await read()).length !== n + 1) stale += 1;
    // What has been seen stays seen.
    if (n % 10 === 0)
      await until('the replica serves', async () => {
        const before = await reads('served');
        if ((await read()).length !== n + 1) stale += 1;
        return (await reads('served')) > before;
      });
  }
  expect(stale).toBe(0);
  expect(await reads('behind')).toBeGreaterThan(0);
  expect(await reads('served')).toBeGreaterThanOrEqual(10);
});

test('a replica that goes away is left out, and taken back by itself', async () => {
  const all = (await read()).length;
  const available = async () => (await scrape(service.url)).value('taskgate_replicas_available');
  await databases.stopStandby();
  for (let n = 0; n < 5; n += 1) expect(await read()).toHaveLength(all);
  await until('it is left out', async () => (await read()).length === all && (await available()) === 0);
  await databases.startStandby();
  await until('it is taken back', async () => (await available()) === 1);
  await until('it serves again', async () => {
    const before = await reads('served');
    await read();
    return (await reads('served')) > before;
  });
});
