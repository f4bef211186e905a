import { randomEmail } from '../kit/random.ts';
import { requestCode } from '../kit/users.ts';
import { childrenOf } from '../kit/own-postgres.ts';
import type { ServiceProcess } from '../kit/process.ts';
import { signalAll } from './installation.ts';
import { brokenUpgrades, type Standalone } from './standalone.ts';
import type { Course, Fault } from './trial.ts';

const stopMs = 400;
/** Interrupted starts before one may finish. */
const brokenStarts = 3;
const writesMeanwhile = 25;
/** Limit of sign-up codes per address in 24 hours. */
const codesADay = 5;

async function killAny(place: Standalone, course: Course): Promise<void> {
  const choice = course.random();
  course.kills += 1;
  if (choice < 0.7) place.service.signal('SIGKILL');
  if (choice > 0.4) signalAll(await place.postmasters(), 'SIGKILL');
}

async function breakStarts(place: Standalone, course: Course): Promise<void> {
  for (let broken = 0; broken < brokenStarts; broken += 1) {
    await course.moment(place.service.startMs);
    await killAny(place, course);
  }
}

/** Kills both within a few milliseconds. */
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

type Jump = 'SIGUSR2' | 'SIGWINCH';

async function jump(service: ServiceProcess, signal: Jump): Promise<void> {
  const line = 'the clock is off by';
  const times = service.errors().split(line).length;
  const jumped = service.said(new RegExp(`(${line}[^]*){${times}}`));
  service.signal(signal);
  await jumped;
}

/** Moves the clock and back. Limits, codes and sessions stay valid throughout. */
const clockJump = (name: string, there: Jump, back: Jump): Fault<Standalone> => ({
  name,
  async run(place, { load, problems }) {
    const expectStatus = (what: string, expected: number, { status }: { status: number }) => {
      if (status !== expected) problems.push(`${what} is answered ${status}`);
    };
    const service = await place.service.up;
    const entrance = await place.entrance();
    const [email, other] = [randomEmail(), randomEmail()];
    const askForCode = () => entrance.anonymous.post('/api/v1/user/signup/send-otp', { email });
    for (let sent = 0; sent < codesADay; sent += 1) expectStatus('a code', 200, await askForCode());
    await jump(service, there);
    expectStatus('a code too many', 429, await askForCode());
    const client = entrance.client();
    const account = { email: other, code: await requestCode(entrance, other), password: 'x' };
    expectStatus('a new code', 200, await client.post('/api/v1/user/signup/verify', account));
    await load.until(['acknowledged'], writesMeanwhile);
    await jump(service, back);
    await load.until(['acknowledged'], writesMeanwhile);
    expectStatus('a session', 200, await client.get('/api/v1/user/profile'));
    expectStatus('a code too many', 429, await askForCode());
  },
});

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

export const diskFaults: readonly Fault<Standalone>[] = [
  {
    name: 'disk full',
    async run(place, { load }) {
      await place.disk?.fill();
      await load.until(['unavailable', 'lost'], 2 * load.writers.length);
      await place.disk?.free();
    },
  },
];
