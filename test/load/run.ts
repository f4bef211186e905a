import { feeds } from '../changes/feeds.ts';
import type { ServiceAccess } from '../kit/service.ts';
import { syncFeeds } from '../sync/feeds.ts';
import { Checker } from './checker.ts';
import type { FindService } from './connection.ts';
import { Effects, type RunSql } from './effects.ts';
import { Follower } from './follower.ts';
import { Load } from './load.ts';
import { makeTeam } from './people.ts';
import { SyncFollower } from './sync-follower.ts';

/** Where the load goes. */
export interface Place {
  find: FindService;
  access: () => Promise<ServiceAccess>;
  /** Runs a statement directly on the database. */
  sql: RunSql;
}

export interface RunOptions {
  seed: number;
  isKeyed: boolean;
  /** Number of followers of task changes (two users), and as many replicas (four users). By default one of each transport. */
  followers?: number;
}

const writers = 6;

/** A team that writes, its subscribers, and the checker. */
export class Run {
  readonly load: Load;
  readonly checker: Checker;
  readonly followers: readonly Follower[];
  readonly replicas: readonly SyncFollower[];

  private constructor(parts: Pick<Run, 'load' | 'checker' | 'followers' | 'replicas'>) {
    this.load = parts.load;
    this.checker = parts.checker;
    this.followers = parts.followers;
    this.replicas = parts.replicas;
  }

  static async start({ find, access, sql }: Place, { followers: count = 3, ...options }: RunOptions): Promise<Run> {
    const effects = await Effects.start(sql);
    const team = await makeTeam(await access());
    const everybody = [...team.members, ...team.guests];
    const [openFeeds, openSyncFeeds] = [Object.values(feeds), Object.values(syncFeeds)];
    const followers: Follower[] = [];
    const replicas: SyncFollower[] = [];
    for (let index = 0; index < count; index += 1) {
      const openFeed = openFeeds[index % openFeeds.length] ?? feeds.WebSocket;
      const openSyncFeed = openSyncFeeds[index % openSyncFeeds.length] ?? syncFeeds.WebSocket;
      followers.push(await Follower.start(team.members[index % 2] ?? team.members[0], openFeed, find));
      replicas.push(new SyncFollower(everybody[index % 4] ?? team.members[0], openSyncFeed, find, effects));
    }
    const load = new Load(team, find, { writers, ...options });
    const checker = await Checker.start({ sql, load, effects, followers, replicas });
    return new Run({ load, checker, followers, replicas });
  }

  get connections() {
    return [...this.followers, ...this.replicas].map(({ connection }) => connection);
  }

  get figures() {
    const { counts, retries, replayed } = this.load;
    const sum = (items: readonly { delivered: number }[]) => items.reduce((all, { delivered }) => all + delivered, 0);
    const { logged, unknownWritten } = this.checker;
    return {
      ...{ ...counts, retries, replayed, unknownWritten, logged },
      changes: sum(this.followers),
      batches: sum(this.replicas),
      reconnects: this.connections.reduce((all, { reconnects }) => all + reconnects, 0),
    };
  }

  async end(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.stop()));
  }
}
