import { randomEmail } from '../kit/random.ts';
import { requestCode } from '../kit/users.ts';
import { childrenOf } from '../kit/own-postgres.ts';
import { signalAll } from './installation.ts';
import { brokenUpgrades, type Standalone } from './standalone.ts';
import type { Course, Fault } from './trial.ts';

/** Milliseconds that a stop takes about. */
const stopMs = 400;
/** How often a start is broken off before it is left alone. */
const brokenStarts = 3;
/** Writes under a fault that a service takes. */
const writesMeanwhile = 25;

/** Kills the service, its database, or both, as chance has it; whatever of them there is. */
async function killAny(place: Standalone, course: Course): Promise<void> {
  const choice = course.random();
  course.kills += 1;
  if (choice < 0.7) place.service.signal('SIGKILL');
  if (choice > 0.4) signalAll(await place.postmasters(), 'SIGKILL');
}

/** Breaks starts off, one after the other, each at a moment at random. */
async function breakStarts(place: Standalone, course: Course): Promise<void> {
  for (let broken = 0; broken < brokenStarts; broken += 1) {
    await course.moment(place.service.startMs);
    await killAny(place, course);
  }
}

/** Kills them at the same moment, or within a few milliseconds. */
async function killBoth(place: Standalone, course: Course): Promise<void> {
  const begun = place.service.begun();
  const servers = await place.postmasters();
  course.kills += 2;
  if (course.random() < 0.5) place.service.signal('SIGKILL');
  signalAll(servers, 'SIGKILL');
  await course.moment(5);
  place.service.signal('SIGKILL');
  await begun;
}

/** Limits hold, codes are good and sessions live, whatever the clock of the process says. */
async function clockProblems(place: Standalone, course: Course, signal: 'SIGUSR2' | 'SIGWINCH'): Promise<void> {
  const service = await place.service.up;
  const entrance = await place.entrance();
  const email = randomEmail();
  const ask = () => entrance.anonymous.post('/api/v1/user/signup/send-otp', { email });
  for (let sent = 0; sent < 5; sent += 1) await ask();
  const jumped = service.said(new RegExp(`(the clock is off by [^]*){${course.kills + 1}}`));
  service.signal(signal);
  await jumped;
  const { status } = await ask();
  if (status !== 429) course.problems.push(`a limit does not hold, as a code too many is answered ${status}`);
  // A code is as new as it is, and a session lives.
  const other = randomEmail();
  const code = await requestCode(entrance, other);
  const client = entrance.client();
  const verified = await client.post('/api/v1/user/signup/verify', { email: other, code, password: 'x' });
  if (verified.status !== 200) course.problems.push(`a new code is answered ${verified.status}`);
  await course.load.until(['acknowledged'], writesMeanwhile);
  const { status: still } = await client.get('/api/v1/user/profile');
  if (still !== 200) course.problems.push(`a session is answered ${still}`);
}

const clockJump = (name: string, there: 'SIGUSR2' | 'SIGWINCH', back: 'SIGUSR2' | 'SIGWINCH'): Fault<Standalone> => ({
  name,
  async run(place, course) {
    const service = await place.service.up;
    await clockProblems(place, course, there);
    service.signal(back);
    await course.load.until(['acknowledged'], writesMeanwhile);
  },
});

/** What goes wrong with a service and its embedded database. */
export const standaloneFaults: readonly Fault<Standalone>[] = [
  {
    name: 'service killed',
    async run({ service }, course) {
      course.kills += 1;
      await service.end('SIGKILL');
    },
  },
  {
    name: 'database killed',
    async run(place, course) {
      course.kills += 1;
      signalAll(await place.postmasters(), 'SIGKILL');
      await course.load.until(['unavailable', 'lost'], 1);
    },
  },
  { name: 'service and database killed', run: killBoth },
  {
    name: 'killed while it starts',
    async run(place, course) {
      course.kills += 1;
      await place.service.end('SIGKILL');
      await breakStarts(place, course);
    },
  },
  {
    name: 'killed while it migrates',
    async run(place, course) {
      const count = 2 + Math.floor(course.random() * 4);
      await place.upgrade(count);
      await place.service.end('SIGTERM');
      await breakStarts(place, course);
      await place.service.up;
      await course.load.until(['acknowledged'], 1);
      for (const { name } of await place.sql<{ name: string }>(brokenUpgrades, [place.upgrades])) {
        course.problems.push(`a migration is not there once and whole: ${name}`);
      }
    },
  },
  {
    name: 'killed while it stops',
    async run(place, course) {
      const begun = place.service.begun();
      place.service.signal('SIGTERM');
      await course.moment(stopMs);
      await killAny(place, course);
      await begun;
    },
  },
  {
    name: 'stopped and started',
    async run({ service }) {
      await service.end('SIGTERM');
    },
  },
  {
    name: 'database stopped (SIGSTOP)',
    async run(place, { load }) {
      const servers = await place.postmasters();
      signalAll(servers, 'SIGSTOP');
      const all = [...servers, ...(await Promise.all(servers.map(childrenOf))).flat()];
      signalAll(all, 'SIGSTOP');
      await load.until(['unavailable', 'lost'], load.writers.length);
      signalAll(all, 'SIGCONT');
    },
  },
  clockJump('clock a day ahead', 'SIGUSR2', 'SIGWINCH'),
  clockJump('clock a day behind', 'SIGWINCH', 'SIGUSR2'),
];

/** What goes wrong with a service on a small disk of its own. */
export const diskFaults: readonly Fault<Standalone>[] = [
  {
    name: 'disk full',
    async run(place, { load }) {
      const free = await place.fillDisk();
      await load.until(['unavailable', 'lost'], 2 * load.writers.length);
      await free();
    },
  },
];
