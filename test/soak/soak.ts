import { feeds } from '../changes/feeds.ts';
import { Client } from '../kit/client.ts';
import { seededRandom } from '../kit/random.ts';
import { entranceOf } from '../kit/service.ts';
import { Checks, type Found } from './checks.ts';
import { Follower } from './follower.ts';
import { makePeople, type Person } from './people.ts';
import { World } from './world.ts';

export interface Size {
  /** Of what is chosen at random. */
  seed: number;
  /** Writes, each of one or more tasks. */
  writes: number;
  /** Subscribers, of two users. */
  followers: number;
  /** Kills of a gateway. */
  kills: number;
  /** Restarts of the database. */
  restarts: number;
  /** Times at which all wait until what was told and the replicas have been checked; the last one is the end. */
  checkpoints: number;
}

export interface Figures extends Found {
  writes: number;
  failedWrites: number;
  logged: number;
  delivered: number;
  reconnects: number;
  kills: number;
  restarts: number;
  seconds: number;
}

const pick = <Item>(random: () => number, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

/**
 * Writes at random from several sides while connections break, gateways are killed and the database restarts;
 * at each checkpoint it holds what each subscriber was told against the log, and its replica against the lists.
 * @param report given a line at each checkpoint
 */
export async function soak(size: Size, report: (line: string) => void): Promise<Figures> {
  const start = performance.now();
  const world = await World.start(seededRandom(`${size.seed} gateways`));
  try {
    const writers = await makePeople(entranceOf((await world.gateway(0)).url, world.dataDirOf(0)));
    const followers: Follower[] = [];
    const ways = Object.values(feeds);
    for (let index = 0; index < size.followers; index += 1) {
      const [person, way] = [writers[index % 2] ?? writers[0], ways[index % ways.length] ?? feeds.WebSocket];
      followers.push(await Follower.begin(person, way, world.anyGateway));
    }
    const checks = await Checks.begin(world.sql, followers);
    const counts = { writes: 0, failedWrites: 0, kills: 0, restarts: 0 };
    const sum = (count: (follower: Follower) => number) =>
      followers.reduce((total, follower) => total + count(follower), 0);
    const figures = (): Figures => ({
      ...counts,
      logged: checks.logged,
      delivered: sum(({ delivered }) => delivered),
      reconnects: sum(({ reconnects }) => reconnects),
      ...checks.found,
      seconds: Math.round((performance.now() - start) / 1000),
    });
    const write = writing(world, writers, followers, size, counts);
    for (let checkpoint = 1; checkpoint <= size.checkpoints; checkpoint += 1) {
      await write(Math.round((size.writes * checkpoint) / size.checkpoints));
      await checks.check();
      report(`checkpoint ${checkpoint} of ${size.checkpoints}: ${JSON.stringify(figures())}`);
    }
    await Promise.all(followers.map((follower) => follower.stop()));
    return figures();
  } finally {
    await world.stop();
  }
}

/** @returns what writes until so many writes have been done in all */
function writing(
  world: World,
  writers: readonly Person[],
  followers: Follower[],
  { seed, writes, kills, restarts }: Size,
  counts: Pick<Figures, 'writes' | 'failedWrites' | 'kills' | 'restarts'>,
): (until: number) => Promise<void> {
  const random = seededRandom(`${seed} writes`);
  const ids: string[] = [];
  const due = (times: number, at: number) => times > 0 && at % Math.ceil(writes / (times + 1)) === 0;
  let started = 0;
  async function work(until: number) {
    while (started < until) {
      const turn = (started += 1);
      if (turn % 7 === 0) pick(random, followers).disconnect();
      if (due(kills, turn) && counts.kills < kills) {
        counts.kills += 1;
        await world.kill(counts.kills % 2);
      }
      if (due(restarts, turn + 3) && counts.restarts < restarts) {
        counts.restarts += 1;
        await world.restartDatabase();
      }
      const { url } = await world.anyGateway();
      const answered = await act(url, pick(random, writers), { random, ids, turn }).catch(() => false);
      counts.writes += 1;
      if (!answered) counts.failedWrites += 1;
    }
  }
  return async (until) => void (await Promise.all(Array.from({ length: 4 }, () => work(until))));
}

/**
 * One random change; one that is refused, as of a task that the user cannot see, is followed by another.
 * @returns whether it was answered; what was not may have happened all the same
 */
async function act(
  url: string,
  { user, projects, tags }: Person,
  { random, ids, turn }: { random: () => number; ids: string[]; turn: number },
): Promise<boolean> {
  const client = new Client(url, user.cookie);
  for (;;) {
    const path = `/api/v2/todo/${pick(random, ids.slice(-40))}`;
    const way = random();
    const { status, body } =
      way < 0.35 || ids.length < 5
        ? await client.post('/api/v2/todo', {
            title: `task ${turn}`,
            projectId: pick(random, projects) ?? undefined,
            ...(way < 0.1 && { tags }),
          })
        : way < 0.55
          ? await client.patch(path, { title: `title ${turn}` })
          : way < 0.65
            ? await client.patch(path, { tags: tags.slice(turn % 3) })
            : way < 0.8
              ? await client.patch(path, { projectId: pick(random, projects) })
              : way < 0.92
                ? await client.patch(`/api/v2/todo/bulk?todoIds=${ids.slice(-8).join()}`, { completed: turn % 2 === 0 })
                : await client.delete(path);
    if (status === 201) ids.push((body as { todo: { id: string } }).todo.id);
    if (status < 400 || status >= 500) return status < 500;
  }
}
