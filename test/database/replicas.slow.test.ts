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

/** Ways to read how many tasks there are, by operations that no cache answers. */
let count = 0;
const query = (selection: string) => `query Q${(count += 1)} { ${selection} }`;
const tasksBy = {
  list: async () =>
    (await user.data<{ tasks: { nodes: unknown[] } }>(query('tasks(first: 500) { nodes { title } }'))).tasks.nodes
      .length,
  search: async () =>
    (await user.data<{ search: { tasks: unknown[] } }>(query('search(query: "task", first: 500) { tasks { title } }')))
      .search.tasks.length,
  sync: async () =>
    (await user.data<{ sync: { tasks: unknown[] } }>(query('sync { tasks { title } }'))).sync.tasks.length,
};
const read = tasksBy.list;

test.each(['list', 'search', 'sync'] as const)(
  'a %s has all that was written before it, whatever the lag, and the replica takes those that it can',
  async (way) => {
    const read = tasksBy[way];
    const before = await read();
    let stale = 0;
    for (let n = before; n < before + 100; n += 1) {
      await makeTask(user, { title: `task ${n}` });
      if ((await read()) !== n + 1) stale += 1;
      // What has been seen stays seen.
      if (n % 10 === 0)
        await until('the replica serves', async () => {
          const served = await reads('served');
          if ((await read()) !== n + 1) stale += 1;
          return (await reads('served')) > served;
        });
    }
    expect(stale).toBe(0);
    expect(await reads('behind')).toBeGreaterThan(0);
    expect(await reads('served')).toBeGreaterThanOrEqual(10);
  },
);

test('a replica that goes away is left out, and taken back by itself', async () => {
  const all = await read();
  const available = async () => (await scrape(service.url)).value('taskgate_replicas_available');
  await databases.stopStandby();
  for (let n = 0; n < 5; n += 1) expect(await read()).toBe(all);
  await until('it is left out', async () => (await read()) === all && (await available()) === 0);
  await databases.startStandby();
  await until('it is taken back', async () => (await available()) === 1);
  await until('it serves again', async () => {
    const before = await reads('served');
    await read();
    return (await reads('served')) > before;
  });
});
