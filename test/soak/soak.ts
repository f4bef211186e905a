import { feeds } from '../changes/feeds.ts';
import { seededRandom } from '../kit/random.ts';
import { accessService } from '../kit/service.ts';
import { syncFeeds } from '../sync/feeds.ts';
import { runRandomAction, CreatedIds, createMarks } from './acts.ts';
import { Checks, type Found } from './checks.ts';
import type { Connection, FindService } from './connection.ts';
import { Effects } from './effects.ts';
import { Follower } from './follower.ts';
import { type Team, makeTeam } from './people.ts';
import { Sender } from './sender.ts';
import { SyncChecks, type SyncFound } from './sync-checks.ts';
import { SyncFollower } from './sync-follower.ts';
import { Installation } from './world.ts';

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
  const world = await Installation.start(seededRandom(`${size.seed} gateways`));
  try {
    const effects = await Effects.start(world.sql);
    const team = await makeTeam(accessService((await world.gateway(0)).url, world.dataDir));
    const { followers, replicas } = await follow(team, size.followers, world.anyGateway, effects);
    const connections = [...followers, ...replicas].map(({ connection }) => connection);
    const sender = new Sender(world.anyGateway, seededRandom(`${size.seed} answers`));
    const checks = await Checks.start(world.sql, followers);
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
    const write = startWriting(world, { team, sender, connections, replicas }, size, counts);
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
export async function follow({ members, guests }: Team, count: number, findService: FindService, effects: Effects) {
  const followers: Follower[] = [];
  const replicas: SyncFollower[] = [];
  const [openFeeds, openSyncFeeds] = [Object.values(feeds), Object.values(syncFeeds)];
  const allPeople = [...members, ...guests];
  for (let index = 0; index < count; index += 1) {
    const openFeed = openFeeds[index % openFeeds.length] ?? feeds.WebSocket;
    const openSyncFeed = openSyncFeeds[index % openSyncFeeds.length] ?? syncFeeds.WebSocket;
    followers.push(await Follower.start(members[index % 2] ?? members[0], openFeed, findService));
    replicas.push(new SyncFollower(allPeople[index % 4] ?? members[0], openSyncFeed, findService, effects));
  }
  return { followers, replicas };
}

/** @returns a function that writes until the total number of writes is reached */
function startWriting(
  world: Installation,
  {
    team,
    sender,
    connections,
    replicas,
  }: {
    team: Team;
    sender: Sender;
    connections: readonly Pick<Connection<unknown>, 'disconnect'>[];
    replicas: readonly SyncFollower[];
  },
  { seed, writes, kills, restarts, firstLoads }: Size,
  counts: Pick<Figures, 'writes' | 'kills' | 'restarts'>,
): (until: number) => Promise<void> {
  const random = seededRandom(`${seed} writes`);
  const allPeople = [...team.members, ...team.guests];
  const createdIds = new CreatedIds();
  const nextMark = createMarks();
  const send: Sender['send'] = (person, deed) => sender.send(person, deed);
  const due = (times: number, number: number) => times > 0 && number % Math.ceil(writes / (times + 1)) === 0;
  let started = 0;
  async function work(until: number) {
    while (started < until) {
      const number = (started += 1);
      if (number % 7 === 0) pick(random, connections).disconnect();
      if (due(firstLoads, number + 1)) pick(random, replicas).restart();
      if (due(kills, number) && counts.kills < kills) {
        counts.kills += 1;
        await world.kill(counts.kills % 2);
      }
      if (due(restarts, number + 3) && counts.restarts < restarts) {
        counts.restarts += 1;
        await world.restartDatabase();
      }
      await runRandomAction({ team, person: pick(random, allPeople), createdIds, random, send }, nextMark);
      counts.writes += 1;
    }
  }
  return async (until) => void (await Promise.all(Array.from({ length: 4 }, () => work(until))));
}
