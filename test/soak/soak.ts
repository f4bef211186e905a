import pg from 'pg';
import { cursorOfNow } from '../changes/stream.ts';
import { Client } from '../kit/client.ts';
import { Mailbox } from '../kit/mailbox.ts';
import { makeProject, makeTag, makeWorkspace } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Follower } from './follower.ts';
import { World } from './world.ts';

export interface Size {
  /** Writes, each of one or more tasks. */
  writes: number;
  /** Subscribers, of two users. */
  followers: number;
  /** Kills of a gateway. */
  kills: number;
  /** Restarts of the database. */
  restarts: number;
}

export interface Figures {
  writes: number;
  failedWrites: number;
  delivered: number;
  reconnects: number;
  kills: number;
  restarts: number;
  /** Changes that a follower was not told of. */
  missed: number;
  /** Changes that a follower was told of more than once. */
  duplicates: number;
  /** Followers whose replica is not what the lists say. */
  unequal: number;
  seconds: number;
}

/** Milliseconds after which a follower that gets no further counts as having missed what is left. */
const patience = 60_000;

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;

/**
 * Writes at random from several sides while connections break, gateways are killed and the database restarts;
 * then holds what each subscriber was told against the log and against the lists.
 * @param report given a line now and then
 */
export async function soak(size: Size, report: (line: string) => void): Promise<Figures> {
  const start = performance.now();
  const world = await World.start();
  try {
    const users = await people(world);
    const followers: Follower[] = [];
    for (let index = 0; index < size.followers; index += 1) {
      const user = pick(users.all);
      followers.push(new Follower(world, { id: user.id, cookie: user.cookie ?? '' }, await cursorOfNow(user)));
    }
    const written = await write(world, users, followers, size, report);
    report('all is written; waiting for the subscribers');
    const giveUp = AbortSignal.timeout(patience);
    await Promise.all(followers.map((follower) => follower.caughtUp(giveUp)));
    const equal = await Promise.all(followers.map((follower) => follower.isEqual()));
    await Promise.all(followers.map((follower) => follower.stop()));
    const told = await compare(world, followers);
    return {
      ...written,
      ...told,
      delivered: followers.reduce((sum, { seen }) => sum + seen.length, 0),
      reconnects: followers.reduce((sum, { reconnects }) => sum + reconnects, 0),
      unequal: equal.filter((same) => !same).length,
      seconds: Math.round((performance.now() - start) / 1000),
    };
  } finally {
    await world.stop();
  }
}

interface People {
  all: User[];
  /** Projects that tasks move between: null is the inbox. */
  projects: (string | null)[];
  tags: string[];
}

async function people(world: World): Promise<People> {
  const { url } = await (world.gateways[0]?.up ?? Promise.reject(new Error('there is no gateway')));
  const client = (cookie?: string) => new Client(url, cookie);
  const door = { url, client, anonymous: client(), mailbox: new Mailbox(world.dataDirOf(0)) };
  const [anna, ben] = [await signUp(door as unknown as Service), await signUp(door as unknown as Service)];
  const workspace = await makeWorkspace(anna, ben);
  const shared = await makeProject(anna, { workspaceId: workspace.id });
  const own = await makeProject(anna);
  return {
    all: [anna, ben],
    projects: [null, shared.id, shared.id, own.id],
    tags: [(await makeTag(anna)).id, (await makeTag(anna)).id],
  };
}

async function write(
  world: World,
  { all, projects, tags }: People,
  followers: Follower[],
  { writes, kills, restarts }: Size,
  report: (line: string) => void,
) {
  const ids: string[] = [];
  const due = (times: number, at: number) => times > 0 && at % Math.ceil(writes / (times + 1)) === 0;
  const counts = { writes: 0, failedWrites: 0, kills: 0, restarts: 0 };
  let started = 0;
  async function writer() {
    while (started < writes) {
      const turn = (started += 1);
      if (turn % 7 === 0) pick(followers).disconnect();
      if (due(kills, turn) && counts.kills < kills) {
        counts.kills += 1;
        await world.kill(counts.kills % 2);
      }
      if (due(restarts, turn + 3) && counts.restarts < restarts) {
        counts.restarts += 1;
        await world.restartDatabase();
      }
      await world.database;
      const { url } = await Promise.any(world.gateways.map(({ up }) => up).sort(() => Math.random() - 0.5));
      const client = new Client(url, pick(all).cookie);
      const ok = await act(client, ids, projects, tags, turn).catch(() => false);
      counts.writes += 1;
      if (!ok) counts.failedWrites += 1;
      if (turn % Math.ceil(writes / 10) === 0) report(`${turn} of ${writes} writes, ${ids.length} tasks made`);
    }
  }
  await Promise.all([writer(), writer(), writer(), writer()]);
  return counts;
}

/** One random write. @returns whether it was answered well; what was not may have happened all the same */
async function act(client: Client, ids: string[], projects: (string | null)[], tags: string[], turn: number) {
  const path = `/api/v2/todo/${ids.length > 0 ? pick(ids.slice(-40)) : 'none'}`;
  const way = Math.random();
  if (way < 0.35 || ids.length < 5) {
    const projectId = pick(projects);
    const { body } = await client.post<{ todo?: { id: string } }>('/api/v2/todo', {
      title: `task ${turn}`,
      ...(projectId && { projectId }),
      ...(way < 0.1 && { tags }),
    });
    if (body.todo) ids.push(body.todo.id);
    return body.todo !== undefined;
  }
  const answer =
    way < 0.55
      ? await client.patch(path, { title: `title ${turn}` })
      : way < 0.65
        ? await client.patch(path, { tags: tags.slice(turn % 3) })
        : way < 0.8
          ? await client.patch(path, { projectId: pick(projects) })
          : way < 0.92
            ? await client.patch(`/api/v2/todo/bulk?todoIds=${ids.slice(-8).join()}`, { completed: turn % 2 === 0 })
            : await client.delete(path);
  return answer.status < 500;
}

/** Holds what was told against the log: one change for each transaction and task, to each who saw either space. */
async function compare(world: World, followers: Follower[]) {
  const client = new pg.Client({ connectionString: (await world.database).url });
  await client.connect();
  let [missed, duplicates] = [0, 0];
  for (const userId of new Set(followers.map((follower) => follower.userId))) {
    // Where the task is gone again by now, or was out of sight meanwhile, all but its deletion may have been left out.
    const { rows } = await client.query<{ task_id: string; at: Date; must: boolean }>(
      `SELECT c.task_id, max(c.at) AS at,
         EXISTS (SELECT FROM tasks t JOIN memberships m ON m.space_id = t.space_id WHERE t.id = c.task_id AND m.user_id = $1)
           AND NOT EXISTS (SELECT FROM task_changes d WHERE d.task_id = c.task_id AND d.kind <> 'UPDATED'
             AND d.space_id NOT IN (SELECT space_id FROM memberships WHERE user_id = $1))
           AS must
       FROM task_changes c JOIN memberships m ON m.space_id = c.space_id AND m.user_id = $1
       GROUP BY c.transaction_id, c.task_id`,
      [userId],
    );
    const known = new Map(rows.map(({ task_id: task, at, must }) => [`${task} ${at.toISOString()}`, must]));
    for (const { seen } of followers.filter((follower) => follower.userId === userId)) {
      const told = new Set(seen.map(({ taskId, at }) => `${taskId} ${at}`));
      duplicates += seen.length - told.size;
      for (const [key, must] of known) if (must && !told.has(key)) missed += 1;
      for (const key of told) if (!known.has(key)) throw new Error(`told of a change that is not in the log: ${key}`);
    }
  }
  await client.end();
  return { missed, duplicates };
}
