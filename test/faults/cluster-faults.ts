import type { FaultProxy } from '../kit/fault-proxy.ts';
import type { Cluster } from './cluster.ts';
import { signalAll } from './installation.ts';
import type { Course, Fault } from './trial.ts';

/** Delay of a slow proxy in milliseconds. */
const slowMs = 40;
const longestBytes = 20_000;
const cuts = 5;

const outcomes = ({ load }: Course, count: number) =>
  load.until(['acknowledged', 'refused', 'unavailable', 'lost'], count);

async function cutAll(proxies: readonly FaultProxy[], course: Course): Promise<void> {
  for (let cut = 0; cut < cuts; cut += 1) {
    for (const proxy of proxies) proxy.killAll();
    await outcomes(course, 1 + Math.floor(course.random() * course.load.writers.length));
    await course.moment(20);
  }
}

/** A fault of proxies that lasts until it affects writes. */
const failing = (
  name: string,
  proxiesOf: (place: Cluster) => readonly FaultProxy[],
  faultOf: (course: Course) => Parameters<FaultProxy['set']>[0],
  until: (course: Course) => Promise<void>,
): Fault<Cluster> => ({
  name,
  async run(place, course) {
    const proxies = proxiesOf(place);
    await Promise.all(proxies.map((proxy) => proxy.set(faultOf(course))));
    await until(course);
    await Promise.all(proxies.map((proxy) => proxy.set({ mode: 'ok' })));
  },
});

const ofDatabase = ({ proxy }: Cluster) => [proxy];
const ofServices = ({ entrances }: Cluster) => entrances;
const someFail = ({ load }: Course) => load.until(['unavailable', 'lost'], load.writers.length);
const cutAfter = ({ random }: Course) => ({ cutAfterBytes: 100 + Math.floor(random() * longestBytes) });

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
      await outcomes(course, course.load.writers.length);
    },
  },
  {
    name: 'database server stopped (SIGSTOP)',
    async run({ database }, course) {
      await database.pause();
      await someFail(course);
      await database.resume();
    },
  },
  {
    name: 'Redis killed',
    async run({ redis }, course) {
      if (!redis) return console.warn('not tried: there is no redis-server on this machine');
      course.kills += 1;
      await redis.kill();
      await outcomes(course, 5 * course.load.writers.length);
      await redis.startAgain();
    },
  },
  { name: 'connections to the database cut', run: ({ proxy }, course) => cutAll([proxy], course) },
  failing('cut amid what is sent to and from the database', ofDatabase, cutAfter, someFail),
  failing('commits whose answer is lost', ofDatabase, () => ({ loseAnswerTo: /COMMIT|writer-/ }), someFail),
  failing(
    'slow connections to the database',
    ofDatabase,
    () => ({ latencyMs: slowMs }),
    (course) => outcomes(course, 3 * course.load.writers.length),
  ),
  failing('database out of reach', ofDatabase, () => ({ mode: 'down' }), someFail),
  failing('database that nobody hears from', ofDatabase, () => ({ mode: 'blackhole' }), someFail),
  { name: 'connections of clients cut', run: ({ entrances }, course) => cutAll(entrances, course) },
  failing('cut amid what clients send and are sent', ofServices, cutAfter, someFail),
  failing('answers to clients lost', ofServices, () => ({ loseAnswerTo: /writer-|DELETE/ }), someFail),
];
