import { randomEmail } from '../kit/random.ts';
import { requestCode } from '../kit/users.ts';
import { childrenOf } from '../kit/own-postgres.ts';
import type { ServiceProcess } from '../kit/process.ts';
import { signalAll } from './installation.ts';
import { brokenUpgrades, type Standalone } from './standalone.ts';
import type { FaultContext, Fault } from './trial.ts';

const stopMs = 400;
/** Interrupted starts before one may finish. */
const brokenStarts = 3;
const writesDuringFault = 25;
/** Limit of sign-up codes per address in 24 hours. */
const codesPerDay = 5;

async function killAny(place: Standalone, course: FaultContext): Promise<void> {
  const choice = course.random();
  course.kills += 1;
  if (choice < 0.7) place.service.signal('SIGKILL');
  if (choice > 0.4) signalAll(await place.postmasters(), 'SIGKILL');
}

async function breakStarts(place: Standalone, course: FaultContext): Promise<void> {
  for (let broken = 0; broken < brokenStarts; broken += 1) {
    await course.pauseRandomly(place.service.startMs);
    await killAny(place, course);
  }
}

/** Kills both within a few milliseconds. */
async function killBoth(place: Standalone, course: FaultContext): Promise<void> {
  const nextStart = place.service.nextStart();
  const servers = await place.postmasters();
  course.kills += 2;
  if (course.random() < 0.5) place.service.signal('SIGKILL');
  signalAll(servers, 'SIGKILL');
  await course.pauseRandomly(5);
  place.service.signal('SIGKILL');
  await nextStart;
}

type Jump = 'SIGUSR2' | 'SIGWINCH';

async function jump(service: ServiceProcess, signal: Jump): Promise<void> {
  const line = 'the clock is off by';
  const times = service.errors().split(line).length;
  const clockJumps = service.untilLogged(new RegExp(`(${line}[^]*){${times}}`));
  service.signal(signal);
  await clockJumps;
}

/** Moves the clock and back. Limits, codes and sessions stay valid throughout. */
const clockJump = (name: string, forward: Jump, backward: Jump): Fault<Standalone> => ({
  name,
  async run(place, { load, problems }) {
    const expectStatus = (description: string, expected: number, { status }: { status: number }) => {
      if (status !== expected) problems.push(`${description} is answered ${status}`);
    };
    const service = await place.service.up;
    const access = await place.access();
    const [email, other] = [randomEmail(), randomEmail()];
    const requestSignUpCode = () => access.anonymous.post('/api/v1/user/signup/send-otp', { email });
    for (let sent = 0; sent < codesPerDay; sent += 1) expectStatus('a code', 200, await requestSignUpCode());
    await jump(service, forward);
    expectStatus('a code too many', 429, await requestSignUpCode());
    const client = access.client();
    const account = { email: other, code: await requestCode(access, other), password: 'x' };
    expectStatus('a new code', 200, await client.post('/api/v1/user/signup/verify', account));
    await load.until(['acknowledged'], writesDuringFault);
    await jump(service, backward);
    await load.until(['acknowledged'], writesDuringFault);
    expectStatus('a session', 200, await client.get('/api/v1/user/profile'));
    expectStatus('a code too many', 429, await requestSignUpCode());
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
      await course.load.until(['unknown'], 1);
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
      const nextStart = place.service.nextStart();
      place.service.signal('SIGTERM');
      await course.pauseRandomly(stopMs);
      await killAny(place, course);
      await nextStart;
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
      await load.until(['unknown'], load.writers);
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
      await load.until(['unknown'], 2 * load.writers);
      await place.disk?.free();
    },
  },
];
