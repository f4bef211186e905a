import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { EventStream } from '../changes/sse.ts';
import { Socket } from '../changes/stream.ts';
import { dataFolders, endServices } from '../kit/process.ts';
import { type Service, startService } from '../kit/service.ts';
import { Supervisor } from '../kit/supervisor.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeIfInstalled } from '../kit/where-installed.ts';
import { type Gateway, type Haproxy, haproxyProgram, startHaproxy } from './haproxy.ts';
import { KeepAliveWriters } from './keep-alive-writers.ts';

const some = 50;

describeIfInstalled(haproxyProgram)('two gateways behind deploy/failover/haproxy.cfg', () => {
  const folders = dataFolders();
  let service: Service;
  let haproxy: Haproxy;
  let gateways: (Gateway & { supervisor: Supervisor })[];
  let users: User[];
  let writers: KeepAliveWriters;

  beforeAll(async () => {
    service = await startService();
    haproxy = await startHaproxy(await folders.make());
    gateways = haproxy.gateways.map((gateway) => ({ ...gateway, supervisor: supervise(gateway) }));
    for (const gateway of gateways) await untilBack(gateway);
    users = await Promise.all(Array.from({ length: 8 }, () => signUp(service)));
  });
  afterEach(async () => {
    await writers.pause();
  });
  afterAll(async () => {
    await Promise.all(gateways.map(({ supervisor }) => supervisor.stop()));
    await endServices('SIGKILL');
    await haproxy.stop();
    await service.close();
    await folders.remove();
  });

  const supervise = ({ port, probePort }: Gateway) =>
    new Supervisor(() => ({
      variables: {
        ...service.variables,
        PORT: port,
        METRICS_PORT: probePort,
        TRUST_PROXY: '1',
        RATE_LIMITS: 'off',
        SHUTDOWN_DELAY_MS: '3000',
        LOG_LEVEL: 'warn',
      },
    }));

  const untilStatus = (name: string, status: string) =>
    until(`HAProxy says ${status} of ${name}`, async () => (await haproxy.statistic(name, 'status')) === status);

  async function untilBack({ name, supervisor }: (typeof gateways)[number]) {
    await supervisor.up;
    await untilStatus(name, 'UP');
  }

  /** Opens streams until HAProxy sends one to this gateway. No writer may run at the same time. */
  async function openAt<Stream>({ name }: Gateway, open: () => Promise<Stream>): Promise<Stream> {
    for (;;) {
      const before = await haproxy.statistic(name, 'stot');
      const stream = await open();
      if ((await haproxy.statistic(name, 'stot')) !== before) return stream;
    }
  }

  async function expectEachOnce() {
    await writers.pause();
    const titles = await service.sql<{ title: string }>('SELECT title FROM tasks WHERE title LIKE $1 ORDER BY title', [
      `${writers.name} %`,
    ]);
    expect(titles.map(({ title }) => title)).toEqual([...writers.acknowledged].sort());
  }

  test('a restart of one after the other cuts no write, and tells streams why they end', async () => {
    const [anna] = users;
    if (!anna) throw new Error('there is no user');
    writers = new KeepAliveWriters('restart', haproxy.url, users);
    const closed: object[] = [];
    const endReasons: string[] = [];
    for (const gateway of gateways) {
      const socket = await openAt(gateway, () => Socket.ready(haproxy.url, anna.cookie));
      const events = await openAt(gateway, () => EventStream.open(haproxy, anna, '/api/v2/events'));
      writers.start();
      await writers.until(some);
      const { ended } = await gateway.supervisor.up;
      await gateway.supervisor.end('SIGTERM');
      expect(await ended).toBe(0);
      closed.push(await socket.closed);
      endReasons.push(await events.body);
      await untilBack(gateway);
      await writers.until(some);
      await writers.pause();
    }
    expect(writers.failures).toEqual([]);
    expect(closed).toEqual(gateways.map(() => ({ code: 1001, reason: 'Going away' })));
    expect(endReasons).toEqual(gateways.map(() => expect.stringContaining('GOING_AWAY')));
    await expectEachOnce();
  });

  test.each(['SIGKILL', 'SIGSTOP'] as const)(
    'if one gets %s, its connections end, the other one serves, and each write happens once',
    async (signal) => {
      const [gateway] = gateways;
      const [anna] = users;
      if (!gateway || !anna) throw new Error('there is no gateway');
      writers = new KeepAliveWriters(signal, haproxy.url, users);
      const socket = await openAt(gateway, () => Socket.ready(haproxy.url, anna.cookie));
      writers.start();
      await writers.until(some);
      const process = await gateway.supervisor.up;
      process.signal(signal);
      try {
        // The system closes the connections of a killed process at once.
        if (signal === 'SIGSTOP') await untilStatus(gateway.name, 'DOWN');
        const closed = socket.closed.then(({ code }) => code);
        // HAProxy's timeouts end the connection much later.
        expect(await Promise.race([closed, writers.until(some).then(() => 'open')])).toBe(1006);
        await writers.until(some);
      } finally {
        process.signal('SIGCONT');
      }
      await untilBack(gateway);
      await writers.until(some);
      await expectEachOnce();
    },
  );
});
