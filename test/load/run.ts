import { feeds } from '../changes/feeds.ts';
import type { ServiceAccess } from '../kit/service.ts';
import { syncFeeds } from '../sync/feeds.ts';
import { Checker } from './checker.ts';
import type { FindService } from './connection.ts';
import { Effects, type RunSql } from './effects.ts';
import { Follower } from './follower.ts';
import { Load } from './load.ts';
import { makeTeam } from './people.ts';
import { Receiver } from './receiver.ts';
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
  /** Whether a webhook sends changes to this process: `OUTGOING_NETWORKS` must allow 127.0.0.1. */
  hasWebhook?: boolean;
}

const writers = 6;

/** A team that writes, its subscribers, and the checker. */
export class Run {
  readonly load: Load;
  readonly checker: Checker;
  readonly followers: readonly Follower[];
  readonly receivers: readonly Receiver[];
  readonly replicas: readonly SyncFollower[];

  private constructor(parts: Pick<Run, 'load' | 'checker' | 'followers' | 'receivers' | 'replicas'>) {
    this.load = parts.load;
    this.checker = parts.checker;
    this.followers = parts.followers;
    this.receivers = parts.receivers;
    this.replicas = parts.replicas;
  }

  static async start(
    { find, access, sql }: Place,
    { followers: count = 3, hasWebhook = false, ...options }: RunOptions,
  ): Promise<Run> {
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
    const receivers = hasWebhook ? [await Receiver.start(team.members[0], find, sql)] : [];
    const load = new Load(team, find, { writers, ...options });
    const checker = await Checker.start({ sql, load, effects, followers, receivers, replicas });
    return new Run({ load, checker, followers, receivers, replicas });
  }

  get connections() {
    return [...this.followers, ...this.replicas].map(({ connection }) => connection);
  }

  get figures() {
    const { counts, retries, replayed } = this.load;
    const sum = (items: readonly { delivered: number }[]) => items.reduce((all, { delivered }) => all + delivered, 0);
    const { logged, unknownWritten, claims } = this.checker;
    return {
      ...{ ...counts, retries, replayed, unknownWritten, logged, claims: claims.count },
      changes: sum(this.followers),
      sent: sum(this.receivers),
      batches: sum(this.replicas),
      reconnects: this.connections.reduce((all, { reconnects }) => all + reconnects, 0),
    };
  }

  async end(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.stop()));
    await Promise.all(this.receivers.map((receiver) => receiver.close()));
  }
}
