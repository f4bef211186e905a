import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { memoryStorage, pending, refused, type Replica } from 'taskgate-client';
import { fileStorage } from 'taskgate-client/node';
import { makeWorkspace } from '../kit/make.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import { seededRandom, seedOfRun } from '../kit/random.ts';
import { accessService } from '../kit/service.ts';
import { Supervisor } from '../kit/supervisor.ts';
import { until } from '../kit/until.ts';
import { signUpByMail, type User } from '../kit/users.ts';
import { runRandomAction } from './acts.ts';
import { contentOf } from './content.ts';
import { clientAs, contentOfService } from './kit.ts';
import { type Environment, CrashingReplica } from './mortal.ts';
import { noteTitles } from './titles.ts';

const [replicaCount, actCount, gatewayKills] = [20, 600, 3];
/** Probability of a client's death at its steps, and of a network change at the test's. */
const [crashRate, cutRate] = [0.02, 0.08];

const seed = seedOfRun();
const random = seededRandom(seed);

let folder: string;
let databaseUrl: string;
let gateway: Supervisor;
let url: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-convergence-'));
  databaseUrl = await createTestDatabase();
  gateway = new Supervisor(() => ({
    variables: {
      DATABASE_URL: databaseUrl,
      DATA_DIR: folder,
      SESSION_SECRET: 'a secret of the convergence test',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
    },
  }));
  ({ url } = await gateway.up);
});
afterAll(async () => {
  for (const device of devices) device.kill();
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

let isChaotic = true;
let devices: Device[] = [];

/** A device of a user: a sequence of clients with the same storage. */
class Device {
  readonly user: User;
  readonly created = new Map<string, string>();
  crashes = 0;
  #client: CrashingReplica | undefined;
  readonly #habitat: Environment;
  readonly #saved = new Set<string>();

  constructor(user: User, index: number) {
    this.user = user;
    const file = path.join(folder, `device-${index}.jsonl`);
    const memory = memoryStorage();
    this.#habitat = {
      url,
      session: user,
      openStorage: () => (index % 2 === 0 ? memory : fileStorage(file)),
      usesWebSocket: index % 3 !== 0,
      isLast: () => isChaotic && random() < crashRate,
    };
  }

  get isOffline(): boolean {
    return this.#client?.isOffline === true;
  }

  set isOffline(isOffline: boolean) {
    if (this.#client) this.#client.isOffline = isOffline;
  }

  kill(): void {
    this.#client?.crash();
  }

  async replica(): Promise<Replica> {
    for (;;) {
      const client = this.#client;
      if (client?.replica && !client.isCrashed) return client.replica;
      if (client) this.crashes += 1;
      await client?.untilStorageEnds();
      this.#client = await CrashingReplica.start(this.#habitat, this.#saved);
    }
  }

  async act(): Promise<void> {
    const { key, title } = runRandomAction(await this.replica(), random);
    if (title !== undefined) this.created.set(key, title);
  }

  /** Whether a mutation was stored before its client died. */
  isSaved(key: string): boolean {
    return this.#saved.has(key);
  }
}

test('replicas equal the service in the end, although they and the gateway are cut off and killed; each mutation happened once or is refused', async () => {
  const countTitles = await noteTitles(databaseUrl);
  const access = accessService(url, folder);
  const users: User[] = [];
  for (let index = 0; index < 5; index += 1) users.push(await signUpByMail(access));
  const [anna, ben, clara, dora] = users as [User, User, User, User];
  await makeWorkspace(anna, ben, clara);
  await makeWorkspace(clara, dora, ben);
  devices = Array.from({ length: replicaCount }, (_, index) => new Device(users[index % 5] ?? anna, index));

  for (let count = 1; count <= actCount; count += 1) {
    const device = devices[Math.floor(random() * devices.length)];
    if (random() < cutRate && device) device.isOffline = !device.isOffline;
    if (random() < crashRate) device?.kill();
    await device?.act();
    if (count % Math.floor(actCount / (gatewayKills + 1)) === 0) gateway.signal('SIGKILL');
    // A round trip lets the replicas continue.
    await access.anonymous.get('/readyz').catch(() => undefined);
  }

  isChaotic = false;
  await gateway.up;
  for (const device of devices) {
    device.isOffline = false;
    const replica = await device.replica();
    replica.reconnect();
  }
  for (const device of devices) {
    const replica = await device.replica();
    await until(`all of seed ${seed} to be sent`, () => replica.read(pending).length === 0);
  }
  for (const device of devices) {
    const replica = await device.replica();
    const client = clientAs({ url }, device.user);
    await until(`a replica of seed ${seed} to be equal to the service`, async () =>
      isDeepStrictEqual(contentOf(replica), await contentOfService(client)),
    );
  }

  const times = await countTitles();
  const problems: string[] = [];
  let [happened, told] = [0, 0];
  for (const device of devices) {
    const replica = await device.replica();
    const reported = new Set(replica.read(refused).map(({ key }) => key));
    for (const [key, title] of device.created) {
      const count = times.get(title) ?? 0;
      happened += count;
      if (reported.has(key)) told += 1;
      const isExpected = device.isSaved(key) && !reported.has(key) ? count === 1 : count === 0;
      if (!isExpected) problems.push(`${key} has happened ${count} times; reported: ${reported.has(key)}`);
    }
  }
  expect({ seed, problems }).toEqual({ seed, problems: [] });
  const crashes = devices.reduce((sum, device) => sum + device.crashes, 0);
  // A quiet run would prove little.
  const least = Math.min(happened, told, crashes);
  expect({ seed, happened, told, deaths: crashes, isMuch: least > 10 }).toMatchObject({ isMuch: true });
});
