import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { captureLog, type CapturedLog, levels } from '../kit/log-lines.ts';
import { makeTask } from '../kit/make.ts';
import { scrape, withMetrics } from '../kit/metrics.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import { type Service, startService } from '../kit/service.ts';
import { type ReplicatedServer, startReplicated } from '../kit/standby.ts';
import { until } from '../kit/until.ts';
import { signUp, User } from '../kit/users.ts';

let service: Service;
let log: CapturedLog;
beforeAll(() => {
  log = captureLog();
});
afterEach(endService);
afterAll(() => log.release());

async function endService(): Promise<void> {
  await service.close();
  log.lines.splice(0);
}

async function serve(primary: { url: string }, ...replicas: { url: string }[]): Promise<void> {
  const variables = {
    ...withMetrics,
    SESSION_SECRET: 'a secret that all services of this file know',
    DATABASE_READ_URLS: replicas.map(({ url }) => url).join(),
    LOG_LEVEL: 'info',
  };
  service = await startService(variables, { databaseUrl: primary.url });
}

const metric = async (name: string, labels?: Record<string, string>) =>
  (await scrape(service.url)).value(name, labels) ?? 0;
const untilAvailable = (count: number) =>
  until(`${count} replicas are available`, async () => (await metric('taskgate_replicas_available')) === count);
const untilExcluded = (reason: string, count = 1) =>
  until(
    `${count} replicas are left out: ${reason}`,
    async () => (await metric('taskgate_replicas_left_out', { reason })) === count,
  );
const linesOf = (replica: string) => log.lines.filter((line) => line['replica'] === replica);

/** An account whose task identifies the state of a server. */
interface Owner {
  user: User;
  taskId: string;
}
async function makeOwner(): Promise<Owner> {
  const user = await signUp(service);
  return { user, taskId: (await makeTask(user, { title: 'shared' })).id };
}

const titleAt = async (server: ReplicatedServer, { taskId }: Owner) =>
  (await server.sql<{ title: string }>('SELECT title FROM tasks WHERE id = $1', [taskId]))[0]?.title;
const writeAt = (server: ReplicatedServer, { taskId }: Owner, title: string) =>
  server.sql('UPDATE tasks SET title = $1 WHERE id = $2', [title, taskId]);

const timelineOf = async (server: ReplicatedServer) =>
  (await server.sql<{ timeline: string }>('SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline'))[0]
    ?.timeline;

interface TitledTask {
  title: string;
}
let count = 0;
/** Reads in every way, often enough to reach each replica. @returns all titles seen */
async function titlesOf({ user: { cookie, id, email, password } }: Owner): Promise<string[]> {
  const user = new User(service, cookie, { id, email, password });
  const found = new Set<string>();
  for (let n = 0; n < 8; n += 1) {
    const selection = '{ tasks(first: 5) { nodes { title } } sync { tasks { title } } }';
    const { tasks, sync } = await user.data<{ tasks: { nodes: TitledTask[] }; sync: { tasks: TitledTask[] } }>(
      `query Q${(count += 1)} ${selection}`,
    );
    const { body } = await user.get<{ todos: TitledTask[] }>(`/api/v2/todo?limit=${10 + n}`);
    for (const { title } of [...tasks.nodes, ...sync.tasks, ...body.todos]) found.add(title);
  }
  return [...found];
}

describe.each([
  ['that may read the timeline of a WAL receiver', 'GRANT pg_read_all_stats TO taskgate'],
  ['without further rights', undefined],
])('a service of a role %s', (_role, grant) => {
  const canReadReceivers = grant !== undefined;
  type Servers = [ReplicatedServer, ReplicatedServer, ReplicatedServer];
  type Owners = [Owner, Owner, Owner];

  /** A standby is promoted while it is in use. The follower follows it. */
  async function promoteStandby([primary, promoted, follower]: Servers): Promise<Owners> {
    await serve(primary, promoted, follower);
    const owners: Owners = [await makeOwner(), await makeOwner(), await makeOwner()];
    await untilAvailable(2);
    for (const owner of owners) {
      await until('both standbys have it', async () => (await titleAt(follower, owner)) === 'shared');
      expect(await titlesOf(owner)).toEqual(['shared']);
    }
    await promoted.promote();
    await writeAt(promoted, owners[0], 'of the other history');
    await until('it is replicated', async () => (await titleAt(follower, owners[0])) === 'of the other history');
    expect(await titlesOf(owners[0])).toEqual(['shared']);
    await untilExcluded('not_standby');
    if (canReadReceivers) await untilExcluded('timeline');
    expect(await titlesOf(owners[0])).toEqual(['shared']);
    const expected = ['a read replica is used', 'a read replica is not a standby: it is left out'];
    expect(linesOf('replica_1').map(({ msg }) => msg)).toEqual(expected);
    const others = linesOf('replica_2').filter(({ msg }) => msg.endsWith('left out'));
    if (canReadReceivers) expect(others).toMatchObject([{ timeline: 2, primaryTimeline: 1, level: levels.warn }]);
    return owners;
  }

  /** The service moves to the promoted standby. The former primary still responds. */
  async function moveToPromoted([formerPrimary, primary, follower]: Servers, owners: Owners): Promise<void> {
    await writeAt(formerPrimary, owners[1], 'lost');
    await serve(primary, formerPrimary, follower);
    expect(await titlesOf(owners[1])).toEqual(['shared']);
    await untilExcluded('not_standby');
    expect(await titlesOf(owners[1])).toEqual(['shared']);
    expect(await titlesOf(owners[0])).toEqual(['of the other history']);
    expect(linesOf('replica_1')).toMatchObject([{ level: levels.warn, reason: 'not_standby' }]);
    if (!canReadReceivers) return;
    await untilAvailable(1);
    const servedReads = await metric('taskgate_replica_reads_total', { outcome: 'served' });
    await titlesOf(owners[0]);
    expect(await metric('taskgate_replica_reads_total', { outcome: 'served' })).toBeGreaterThan(servedReads);
  }

  /** The former primary is a standby, but still has its own history. */
  async function makeStandby([formerPrimary, primary]: Servers, owners: Owners): Promise<void> {
    await formerPrimary.stop();
    await formerPrimary.standBy();
    await formerPrimary.start();
    await serve(primary, formerPrimary);
    expect(await titleAt(formerPrimary, owners[1])).toBe('lost');
    expect(await titlesOf(owners[1])).toEqual(['shared']);
    await untilExcluded('timeline');
    expect(await titlesOf(owners[1])).toEqual(['shared']);
    expect(linesOf('replica_1')).toMatchObject([{ timeline: 1, primaryTimeline: 2, level: levels.warn }]);
  }

  /** Two histories have timelines with the same number. */
  async function promoteFormerPrimary([formerPrimary, other, follower]: Servers, owners: Owners): Promise<void> {
    await formerPrimary.promote();
    expect(await timelineOf(formerPrimary)).toBe(await timelineOf(other));
    await writeAt(other, owners[2], 'of the other history');
    await until('it is replicated', async () => (await titleAt(follower, owners[2])) === 'of the other history');
    await serve(formerPrimary, follower);
    expect(await titlesOf(owners[2])).toEqual(['shared']);
    expect(await titlesOf(owners[1])).toEqual(['lost']);
  }

  test('reads from no server with another history', async () => {
    const databases = await startReplicated(['0', '0'], grant);
    const [second, third] = databases.standbys;
    if (!second || !third) throw new Error('there are not two standbys');
    const servers: Servers = [databases.primary, second, third];
    const owners = await promoteStandby(servers);
    for (const step of [moveToPromoted, makeStandby, promoteFormerPrimary]) {
      await endService();
      await step(servers, owners);
    }
    await databases.close();
  });
});

test('skips the primary without a warning, and a server of another system with one', async () => {
  const primary = await createTestDatabase();
  const servers = await startReplicated([]);
  await serve({ url: primary }, { url: primary }, servers.primary);
  const owner = await makeOwner();
  expect(await titlesOf(owner)).toEqual(['shared']);
  await untilExcluded('primary');
  await untilExcluded('system');
  expect(linesOf('replica_1')).toMatchObject([{ level: levels.info, reason: 'primary' }]);
  expect(linesOf('replica_2')).toMatchObject([{ level: levels.warn, reason: 'system' }]);
  await servers.close();
});

test('skips a replica and logs the error once if the role may not read its system identifier', async () => {
  const refusal = 'REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC';
  const servers = await startReplicated(['0'], refusal);
  await serve(servers.primary, ...servers.standbys);
  const owner = await makeOwner();
  await untilExcluded('unknown');
  expect(await titlesOf(owner)).toEqual(['shared']);
  const error = expect.objectContaining({ code: '42501' }) as unknown;
  expect(linesOf('replica_1')).toMatchObject([{ level: levels.warn, reason: 'unknown', error }]);
  await servers.close();
});
