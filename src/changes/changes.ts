import { gauge, type TaskgateError } from '@taskgate/base';
import { every, hourly } from '@taskgate/postgres';
import { FairQueue } from '@taskgate/work';
import type { Connections } from '../platform/database.ts';
import type { ChangeHint } from '../platform/change-hint.ts';
import { refusal } from '../platform/errors.ts';
import { Hub } from './live/hub.ts';
import { ChangeNotifier, noChannel, type OpenChannel } from './live/notifier.ts';
import { postgresChannel } from './live/notifier-postgres.ts';
import { pruneChanges } from './log/prune.ts';
import { watchSession } from './live/session-watch.ts';
import type { ReadAccess } from './live/subscriber.ts';
import {
  ChangeSubscription,
  defaultBounds,
  pagePolicy,
  type StreamBounds,
  type StreamOptions,
} from './live/subscription.ts';

declare module '../platform/services.ts' {
  interface Services {
    changes: Changes;
  }
}

interface ChangeOptions {
  connections: Connections;
  readAccess: ReadAccess;
  /** Direct connection, without a transaction pooler. */
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  retentionDays: number;
}

const second = 1000;
const pollMs = 2 * second;

const goingAway = () => refusal('GOING_AWAY', 'The service is stopping: resume in a moment', { retryAfter: 1 });

/** Opens LISTEN/NOTIFY or Redis. Without a channel, polls find other processes' changes. */
async function channelOf({ connections, databaseUrl, redisUrl }: ChangeOptions): Promise<OpenChannel> {
  if (redisUrl === undefined) return databaseUrl === undefined ? noChannel : postgresChannel(connections, databaseUrl);
  const { redisChannel } = await import('./live/notifier-redis.ts');
  return redisChannel(redisUrl);
}

interface ChangeListener extends Ended {
  onChange(hint: ChangeHint): void;
  /** Called if hints may be lost, and every two seconds. */
  onPoll(): void;
}

interface Ended {
  end(reason: TaskgateError): void;
}

export class Changes {
  readonly retentionDays: number;
  readonly bounds: StreamBounds = { ...defaultBounds };
  readonly #connections: Connections;
  readonly #readAccess: ReadAccess;
  readonly #hub: Hub;
  readonly #pages: FairQueue;
  readonly #streams = new Set<Ended>();
  readonly #listeners = new Set<ChangeListener>();
  readonly #ownListeners: (() => void)[] = [];
  readonly #notifier: ChangeNotifier;
  readonly #background: { stop(): void }[];
  #isStopping = false;

  private constructor(channel: OpenChannel, { connections, readAccess, retentionDays }: ChangeOptions) {
    this.#connections = connections;
    this.#readAccess = readAccess;
    this.#hub = new Hub(connections);
    this.#pages = new FairQueue({ ...pagePolicy, slots: connections.slotsOf(pagePolicy.slots) });
    this.retentionDays = retentionDays;
    this.#notifier = new ChangeNotifier(channel, {
      changed: (hint) => this.#hear(hint),
      lost: () => this.#poll(),
    });
    this.#background = [
      every(pollMs, 'the poll for changes', () => Promise.resolve(this.#poll())),
      hourly('pruning of the change log', () => pruneChanges(connections, retentionDays)),
    ];
    lag.track(() => this.#hub.lagSeconds);
  }

  static async open(options: ChangeOptions): Promise<Changes> {
    return new Changes(await channelOf(options), options);
  }

  notify(hint: ChangeHint): void {
    this.#hear(hint);
    this.#notifier.send(hint);
    for (const listen of this.#ownListeners) listen();
  }

  /** Calls a function after each change of this process, until the stop. */
  onOwnChange(listen: () => void): void {
    this.#ownListeners.push(listen);
  }

  /** @returns a function that stops watching */
  watchSession(sessionId: string, end: () => void): () => void {
    return watchSession(this.#hub, this.#readAccess, sessionId, end);
  }

  /** Lasts until {@link forget}. @throws GOING_AWAY; CURSOR_EXPIRED */
  async subscribe(
    options: Pick<StreamOptions, 'sessionId' | 'viewer' | 'position' | 'project'>,
  ): Promise<ChangeSubscription> {
    this.#requireRunning();
    const { bounds, retentionDays } = this;
    const stream = await ChangeSubscription.open({
      ...options,
      connections: this.#connections,
      readAccess: this.#readAccess,
      hub: this.#hub,
      pages: this.#pages,
      bounds,
      retentionDays,
    });
    this.#streams.add(stream);
    return stream;
  }

  forget(stream: ChangeSubscription): void {
    this.#streams.delete(stream);
  }

  /** Lasts until {@link detach}. @throws GOING_AWAY */
  attach(listener: ChangeListener): void {
    this.#requireRunning();
    this.#streams.add(listener);
    this.#listeners.add(listener);
  }

  detach(listener: ChangeListener): void {
    this.#streams.delete(listener);
    this.#listeners.delete(listener);
  }

  get subscriptions(): number {
    return this.#streams.size;
  }

  endSubscriptions(): void {
    this.#isStopping = true;
    for (const stream of this.#streams) stream.end(goingAway());
  }

  async close(): Promise<void> {
    for (const work of this.#background) work.stop();
    await Promise.all([this.#notifier.close(), this.#hub.close()]);
  }

  #requireRunning(): void {
    if (this.#isStopping) throw goingAway();
  }

  #poll(): void {
    this.#hub.pollAll();
    for (const listener of this.#listeners) listener.onPoll();
  }

  #hear(hint: ChangeHint): void {
    const { spaces = [], users = [] } = hint;
    this.#hub.spacesChanged(spaces);
    this.#hub.usersChanged(users);
    for (const listener of this.#listeners) listener.onChange(hint);
  }
}

const lag = gauge('taskgate_log_lag_seconds', 'Age of the oldest change that could not be read for subscribers yet.');
