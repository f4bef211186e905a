import type { FaultProxy } from '../kit/fault-proxy.ts';
import type { Cluster } from './cluster.ts';
import { signalAll } from './installation.ts';
import type { FaultContext, Fault } from './trial.ts';

/** Delay of a slow proxy in milliseconds. */
const slowMs = 40;
const longestBytes = 20_000;
const cutCount = 5;

const outcomes = ({ load }: FaultContext, count: number) => load.until(['acknowledged', 'refused', 'unknown'], count);

async function cutAll(proxies: readonly FaultProxy[], course: FaultContext): Promise<void> {
  for (let index = 0; index < cutCount; index += 1) {
    for (const proxy of proxies) proxy.killAll();
    await outcomes(course, 1 + Math.floor(course.random() * course.load.writers));
    await course.pauseRandomly(20);
  }
}

/** A fault of proxies that lasts until it affects writes. */
const createFault = (
  name: string,
  proxiesOf: (place: Cluster) => readonly FaultProxy[],
  faultOf: (course: FaultContext) => Parameters<FaultProxy['set']>[0],
  until: (course: FaultContext) => Promise<void>,
): Fault<Cluster> => ({
  name,
  async run(place, course) {
    const proxies = proxiesOf(place);
    await Promise.all(proxies.map((proxy) => proxy.set(faultOf(course))));
    await until(course);
    await Promise.all(proxies.map((proxy) => proxy.set({ mode: 'ok' })));
  },
});

const databaseProxies = ({ proxy }: Cluster) => [proxy];
const serviceProxies = ({ entrances }: Cluster) => entrances;
const someWritesFail = ({ load }: FaultContext) => load.until(['unknown'], load.writers);
const cutAfterRandomBytes = ({ random }: FaultContext) => ({
  cutAfterBytes: 100 + Math.floor(random() * longestBytes),
});

export const clusterFaults: readonly Fault<Cluster>[] = [
  {
    name: 'one of two services killed',
    async run({ services }, course) {
      course.kills += 1;
      await services[course.random() < 0.5 ? 0 : 1]?.end('SIGKILL');
    },
  },
  {
    name: 'database server killed',
    async run({ database }, course) {
      course.kills += 1;
      await database.kill();
      await database.startAgain();
    },
  },
  {
    name: 'a process of the database killed',
    async run(place, course) {
      const [busy] = await place.sql<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'taskgate' ORDER BY state <> 'active', random() LIMIT 1`,
      );
      course.kills += 1;
      // The server restarts all its processes and recovers.
      if (busy) signalAll([busy.pid], 'SIGKILL');
      await outcomes(course, course.load.writers);
    },
  },
  {
    name: 'database server stopped (SIGSTOP)',
    async run({ database }, course) {
      await database.pause();
      await someWritesFail(course);
      await database.resume();
    },
  },
  {
    name: 'Redis killed',
    async run({ redis }, course) {
      if (!redis) return console.warn('not tried: there is no redis-server on this machine');
      course.kills += 1;
      await redis.kill();
      await outcomes(course, 5 * course.load.writers);
      await redis.startAgain();
    },
  },
  { name: 'connections to the database cut', run: ({ proxy }, course) => cutAll([proxy], course) },
  createFault('cut amid what is sent to and from the database', databaseProxies, cutAfterRandomBytes, someWritesFail),
  createFault(
    'commits whose answer is lost',
    databaseProxies,
    () => ({ loseResponseTo: /COMMIT|20[3-9]\d-/ }),
    someWritesFail,
  ),
  createFault(
    'slow connections to the database',
    databaseProxies,
    () => ({ latencyMs: slowMs }),
    (course) => outcomes(course, 3 * course.load.writers),
  ),
  createFault('database out of reach', databaseProxies, () => ({ mode: 'down' }), someWritesFail),
  createFault('database that nobody hears from', databaseProxies, () => ({ mode: 'blackhole' }), someWritesFail),
  { name: 'connections of clients cut', run: ({ entrances }, course) => cutAll(entrances, course) },
  createFault('cut amid what clients send and are sent', serviceProxies, cutAfterRandomBytes, someWritesFail),
  createFault(
    'answers to clients lost',
    serviceProxies,
    () => ({ loseResponseTo: /20[3-9]\d-|DELETE/ }),
    someWritesFail,
  ),
];
