import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cursorOfNow } from '../changes/stream.ts';
import { makeTask, makeWorkspace } from '../kit/make.ts';
import { scrape, withMetrics } from '../kit/metrics.ts';
import { makeProgram } from '../kit/program.ts';
import { randomName } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { type Replicated, type ReplicatedServer, startReplicated } from '../kit/standby.ts';
import { fill } from '../kit/tasks.ts';
import { until } from '../kit/until.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';

let databases: Replicated;
let standby: ReplicatedServer;
let service: Service;
let user: User;
beforeAll(async () => {
  databases = await startReplicated(['500ms']);
  [standby] = databases.standbys as [ReplicatedServer];
  const variables = { ...withMetrics, DATABASE_READ_URLS: standby.url };
  service = await startService(variables, { databaseUrl: databases.primary.url });
  user = await signUp(service);
  since = await cursorOfNow(user);
});
afterAll(async () => {
  await service.close();
  await databases.close();
});

const reads = async (outcome: string) =>
  (await scrape(service.url)).value('taskgate_replica_reads_total', { outcome }) ?? 0;

let since: string;
/** No cache answers these operations. */
let count = 0;
interface TitledTask {
  title: string;
}
const read = <Data>(selection: string) => user.data<Data>(`query Q${(count += 1)} { ${selection} }`);
const readers = {
  list: async () =>
    (await read<{ tasks: { nodes: TitledTask[] } }>('tasks(first: 500) { nodes { title } }')).tasks.nodes,
  search: async (title: string) =>
    (await read<{ search: { tasks: TitledTask[] } }>(`search(query: "${title}") { tasks { title } }`)).search.tasks,
  sync: async () => (await read<{ sync: { tasks: TitledTask[] } }>('sync { tasks { title } }')).sync.tasks,
  changes: async () => {
    const page = `changes(after: "${since}", first: 500) { nodes { task { title } } }`;
    const { changes } = await read<{ changes: { nodes: { task: TitledTask }[] } }>(page);
    return changes.nodes.map(({ task }) => task);
  },
};
const canSee = async (reader: keyof typeof readers, wantedTitle: string) =>
  (await readers[reader](wantedTitle)).some(({ title }) => title === wantedTitle);

test.each(['list', 'search', 'sync', 'changes'] as const)(
  'reads by %s include all earlier writes, whatever the lag, and the replica serves as many as it can',
  async (reader) => {
    const before = { behind: await reads('behind'), served: await reads('served') };
    let stale = 0;
    for (let n = 0; n < 100; n += 1) {
      const title = `${reader} ${n}`;
      await makeTask(user, { title });
      if (!(await canSee(reader, title))) stale += 1;
      // A title stays visible once it was seen.
      if (n % 10 === 0)
        await until('the replica serves', async () => {
          const servedReads = await reads('served');
          if (!(await canSee(reader, title))) stale += 1;
          return (await reads('served')) > servedReads;
        });
    }
    expect(stale).toBe(0);
    expect(await reads('behind')).toBeGreaterThan(before.behind);
    expect(await reads('served')).toBeGreaterThanOrEqual(before.served + 10);
  },
);

test('the replica also serves an access token without the personal space', async () => {
  const { id: workspaceId } = await makeWorkspace(user);
  const program = await makeProgram(service, user, { spaceIds: [workspaceId] });
  // Raises the related revision of the personal space.
  await user.put('/api/v1/user/name', { name: randomName('name') });
  for (const reminderBefore of [5, 10]) {
    await user.patch('/api/v1/user/user-preferences', { reminderBefore });
    await until('the replica serves', async () => {
      const before = await reads('served');
      const document = `query Q${(count += 1)} { sync { user { preferences { reminderBefore } } } }`;
      expect(await program.data(document)).toEqual({ sync: { user: { preferences: { reminderBefore } } } });
      return (await reads('served')) > before;
    });
  }
});

/** 100,000 in manual runs. */
const readCount = Number(process.env['READS'] ?? 3000);

test('none of many reads at once is older than earlier writes and reads', async () => {
  const before = await reads('served');
  const { id } = await makeTask(user, { title: '0' });
  let [newest, finished, stale] = [0, 0, 0];
  const readCached = async () => {
    const oldestAllowed = newest;
    const { data, errors } = await user.graphql<{ task: TitledTask }>(
      `query Q${(count += 1)} { task(id: "${id}") { title } }`,
    );
    // A busy machine refuses some reads.
    if (errors?.[0]?.extensions['code'] === 'UNAVAILABLE') return;
    const title = Number(data?.task.title);
    if (!(title >= oldestAllowed)) stale += 1;
    newest = Math.max(newest, title);
    finished += 1;
    // Rare enough for the replica to catch up in between.
    if (finished % 600 !== 0) return;
    const next = newest + 1;
    await user.patch(`/api/v2/todo/${id}`, { title: String(next) });
    newest = next;
  };
  const readAll = async () => {
    while (finished < readCount) await readCached();
  };
  await Promise.all(Array.from({ length: 8 }, readAll));
  expect({ stale, newest }).toEqual({ stale: 0, newest: Math.floor(finished / 600) });
  expect(await reads('served')).toBeGreaterThan(before);
});

test('a streamed list includes all earlier writes, and comes from one server', async () => {
  const reader = await signUp(service);
  await fill(service, reader, 20_001);
  for (let n = 0; n < 3; n += 1) {
    await makeTask(reader, { title: `streamed ${n}` });
    const all = async () => (await reader.get<{ todos: TitledTask[] }>('/api/v2/todo')).body.todos;
    const missing = async () => (await all()).length !== 20_002 + n;
    expect(await missing()).toBe(false);
    await until('the replica serves', async () => {
      const before = await reads('served');
      if (await missing()) throw new Error('what was there is missing');
      return (await reads('served')) > before;
    });
  }
});

test('an export includes all earlier writes, also of sessions, and comes from one server', async () => {
  const owner = await signUp(service);
  const exportedCounts = { todos: 0, accessTokens: 0, sessions: 1 };
  const isComplete = async () => {
    const { body } = await owner.get<Record<keyof typeof exportedCounts, object[]>>('/api/v2/export');
    const { todos, accessTokens, sessions } = body;
    return isDeepStrictEqual(exportedCounts, {
      todos: todos.length,
      accessTokens: accessTokens.length,
      sessions: sessions.length,
    });
  };
  const writes = {
    todos: () => makeTask(owner),
    accessTokens: () => makeProgram(service, owner),
    sessions: () => signInAgain(service, owner),
  };
  for (const [list, write] of Object.entries(writes)) {
    await write();
    exportedCounts[list as keyof typeof exportedCounts] += 1;
    expect({ list, isWhole: await isComplete() }).toEqual({ list, isWhole: true });
    await until('the replica serves', async () => {
      const before = await reads('served');
      if (!(await isComplete())) throw new Error('what was there is missing');
      return (await reads('served')) > before;
    });
  }
});

test('an unavailable replica is skipped, and used again automatically', async () => {
  const countAll = async () => (await readers.list()).length;
  const all = await countAll();
  const available = async () => (await scrape(service.url)).value('taskgate_replicas_available');
  await standby.stop();
  for (let n = 0; n < 5; n += 1) expect(await countAll()).toBe(all);
  await until('it is left out', async () => (await countAll()) === all && (await available()) === 0);
  await standby.start();
  await until('it is taken back', async () => (await available()) === 1);
  await until('it serves again', async () => {
    const before = await reads('served');
    await countAll();
    return (await reads('served')) > before;
  });
});
