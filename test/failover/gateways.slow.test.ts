import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { EventStream } from '../changes/sse.ts';
import { Socket } from '../changes/stream.ts';
import { dataFolders, endServices } from '../kit/process.ts';
import { type Service, startService } from '../kit/service.ts';
import { seedOfRun } from '../kit/random.ts';
import { Supervisor } from '../kit/supervisor.ts';
import { until } from '../kit/until.ts';
import { signUp } from '../kit/users.ts';
import { describeIfInstalled } from '../kit/where-installed.ts';
import { type Gateway, type Haproxy, haproxyProgram, startHaproxy } from './haproxy.ts';
import type { RunSql } from '../load/effects.ts';
import { Run } from '../load/run.ts';

const some = 50;

describeIfInstalled(haproxyProgram)('two gateways behind deploy/failover/haproxy.cfg', () => {
  const folders = dataFolders();
  let service: Service;
  let haproxy: Haproxy;
  let gateways: (Gateway & { supervisor: Supervisor })[];
  let run: Run;

  beforeAll(async () => {
    service = await startService();
    haproxy = await startHaproxy(await folders.make());
    gateways = haproxy.gateways.map((gateway) => ({ ...gateway, supervisor: supervise(gateway) }));
    for (const gateway of gateways) await untilBack(gateway);
    const sql: RunSql = (text, values) => service.sql(text, values);
    const place = { find: () => Promise.resolve(haproxy), access: () => Promise.resolve(service), sql };
    // No follower: a test counts the streams at each gateway.
    run = await Run.start(place, { seed: seedOfRun(), followers: 0, isKeyed: true });
  });
  afterEach(async () => {
    await run.load.pause();
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

  const untilWritten = () => run.load.until(['acknowledged'], some);

  async function expectEachOnce() {
    await run.load.pause();
    expect(await run.checker.check()).toEqual([]);
  }

  test('a restart of one after the other cuts no write, and tells streams why they end', async () => {
    const anna = await signUp(service);
    const closed: object[] = [];
    const endReasons: string[] = [];
    for (const gateway of gateways) {
      const socket = await openAt(gateway, () => Socket.ready(haproxy.url, anna.cookie));
      const events = await openAt(gateway, () => EventStream.open(haproxy, anna, '/api/v2/events'));
      run.load.start();
      await untilWritten();
      const { ended } = await gateway.supervisor.up;
      await gateway.supervisor.end('SIGTERM');
      expect(await ended).toBe(0);
      closed.push(await socket.closed);
      endReasons.push(await events.body);
      await untilBack(gateway);
      await untilWritten();
      await run.load.pause();
    }
    expect(run.load.retries).toBe(0);
    expect(closed).toEqual(gateways.map(() => ({ code: 1001, reason: 'Going away' })));
    expect(endReasons).toEqual(gateways.map(() => expect.stringContaining('GOING_AWAY')));
    await expectEachOnce();
  });

  test.each(['SIGKILL', 'SIGSTOP'] as const)(
    'if one gets %s, its connections end, the other one serves, and each write happens once',
    async (signal) => {
      const [gateway] = gateways;
      if (!gateway) throw new Error('there is no gateway');
      const anna = await signUp(service);
      const socket = await openAt(gateway, () => Socket.ready(haproxy.url, anna.cookie));
      run.load.start();
      await untilWritten();
      const process = await gateway.supervisor.up;
      process.signal(signal);
      try {
        // The system closes the connections of a killed process at once.
        if (signal === 'SIGSTOP') await untilStatus(gateway.name, 'DOWN');
        const closed = socket.closed.then(({ code }) => code);
        // HAProxy's timeouts end the connection much later.
        expect(await Promise.race([closed, untilWritten().then(() => 'open')])).toBe(1006);
        await untilWritten();
      } finally {
        process.signal('SIGCONT');
      }
      await untilBack(gateway);
      await untilWritten();
      await expectEachOnce();
    },
  );
});
