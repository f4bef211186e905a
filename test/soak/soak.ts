import { feeds } from '../changes/feeds.ts';
import { seededRandom } from '../kit/random.ts';
import { entranceOf } from '../kit/service.ts';
import { syncFeeds } from '../sync/feeds.ts';
import { actAtRandom, Made, newMarks } from './acts.ts';
import { Checks, type Found } from './checks.ts';
import type { Connection, FindService } from './connection.ts';
import { Effects } from './effects.ts';
import { Follower } from './follower.ts';
import { type Crew, makeCrew } from './people.ts';
import { Sender } from './sender.ts';
import { SyncChecks, type SyncFound } from './sync-checks.ts';
import { SyncFollower } from './sync-follower.ts';
import { World } from './world.ts';

export interface Size {
  seed: number;
  writes: number;
  /** Subscribers to task changes (two users), and replicas (four users). */
  followers: number;
  kills: number;
  restarts: number;
  /** Number of lost replicas. */
  firstLoads: number;
  /** Number of pauses for checks, the last one at the end. */
  checkpoints: number;
}

export interface Figures {
  writes: number;
  retries: number;
  replayed: number;
  kills: number;
  restarts: number;
  reconnects: number;
  changes: Found & { logged: number; delivered: number };
  sync: SyncFound & { batches: number };
  seconds: number;
}

const pick = <Item>(random: () => number, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

const sum = <Item>(items: readonly Item[], count: (item: Item) => number) =>
  items.reduce((total, item) => total + count(item), 0);

/**
 * Writes randomly from several users while connections break, gateways are killed and the database restarts. Each checkpoint compares received
 * changes with the log, responses with commits, and replicas with lists.
 * @param report receives a line per checkpoint
 */
export async function soak(size: Size, report: (line: string) => void): Promise<Figures> {
  const start = performance.now();
  const world = await World.start(seededRandom(`${size.seed} gateways`));
  try {
    const effects = await Effects.begin(world.sql);
    const crew = await makeCrew(entranceOf((await world.gateway(0)).url, world.dataDir));
    const { followers, replicas } = await follow(crew, size.followers, world.anyGateway, effects);
    const connections = [...followers, ...replicas].map(({ connection }) => connection);
    const sender = new Sender(world.anyGateway, seededRandom(`${size.seed} answers`));
    const checks = await Checks.begin(world.sql, followers);
    const syncChecks = new SyncChecks(effects, sender, replicas);
    const counts = { writes: 0, kills: 0, restarts: 0 };
    const figures = (): Figures => ({
      ...counts,
      retries: sender.retries,
      replayed: sender.replayed,
      reconnects: sum(connections, ({ reconnects }) => reconnects),
      changes: { logged: checks.logged, delivered: sum(followers, ({ delivered }) => delivered), ...checks.found },
      sync: { batches: sum(replicas, ({ delivered }) => delivered), ...syncChecks.found },
      seconds: Math.round((performance.now() - start) / 1000),
    });
    const write = writing(world, { crew, sender, connections, replicas }, size, counts);
    for (let checkpoint = 1; checkpoint <= size.checkpoints; checkpoint += 1) {
      await write(Math.round((size.writes * checkpoint) / size.checkpoints));
      await checks.check();
      await syncChecks.check();
      report(`checkpoint ${checkpoint} of ${size.checkpoints}: ${JSON.stringify(figures())}`);
    }
    await Promise.all(connections.map((connection) => connection.stop()));
    return figures();
  } finally {
    await world.stop();
  }
}

/** In turn over each transport. */
export async function follow({ members, guests }: Crew, count: number, find: FindService, effects: Effects) {
  const followers: Follower[] = [];
  const replicas: SyncFollower[] = [];
  const [ways, syncWays] = [Object.values(feeds), Object.values(syncFeeds)];
  const everybody = [...members, ...guests];
  for (let index = 0; index < count; index += 1) {
    const way = ways[index % ways.length] ?? feeds.WebSocket;
    const syncWay = syncWays[index % syncWays.length] ?? syncFeeds.WebSocket;
    followers.push(await Follower.begin(members[index % 2] ?? members[0], way, find));
    replicas.push(new SyncFollower(everybody[index % 4] ?? members[0], syncWay, find, effects));
  }
  return { followers, replicas };
}

/** @returns a function that writes until the total number of writes is reached */
function writing(
  world: World,
  {
    crew,
    sender,
    connections,
    replicas,
  }: {
    crew: Crew;
    sender: Sender;
    connections: readonly Pick<Connection<unknown>, 'cut'>[];
    replicas: readonly SyncFollower[];
  },
  { seed, writes, kills, restarts, firstLoads }: Size,
  counts: Pick<Figures, 'writes' | 'kills' | 'restarts'>,
): (until: number) => Promise<void> {
  const random = seededRandom(`${seed} writes`);
  const everybody = [...crew.members, ...crew.guests];
  const made = new Made();
  const newMark = newMarks();
  const send: Sender['send'] = (person, deed) => sender.send(person, deed);
  const due = (times: number, at: number) => times > 0 && at % Math.ceil(writes / (times + 1)) === 0;
  let started = 0;
  async function work(until: number) {
    while (started < until) {
      const turn = (started += 1);
      if (turn % 7 === 0) pick(random, connections).cut();
      if (due(firstLoads, turn + 1)) pick(random, replicas).beginAnew();
      if (due(kills, turn) && counts.kills < kills) {
        counts.kills += 1;
        await world.kill(counts.kills % 2);
      }
      if (due(restarts, turn + 3) && counts.restarts < restarts) {
        counts.restarts += 1;
        await world.restartDatabase();
      }
      await actAtRandom({ crew, person: pick(random, everybody), made, random, send }, newMark);
      counts.writes += 1;
    }
  }
  return async (until) => void (await Promise.all(Array.from({ length: 4 }, () => work(until))));
}
