import { networksOf, rateLimited, type RateLimitPolicy } from '@taskgate/limits';
import { GroupCounts } from '@taskgate/work';

export const defaultSocketsOfClient = 2_000;

/** Limit of sockets and event streams of a client in one process. */
export const socketsOfClient = (quota: number) =>
  ({ name: 'sockets-of-client', quota }) as const satisfies RateLimitPolicy;

/** Limits of one process, over all transports and sessions. */
const defaultBounds = {
  /** WebSockets and event streams. */
  connections: 50,
  subscriptions: 1000,
  /** Maximum cost of one event. */
  cost: 200_000,
  /** A thousand subscriptions of 60 tokens fit. */
  bytes: 32 * 1024 * 1024,
  /** Connections of one client for any users. Networks get more: see `quotaOfGroup` of @taskgate/work. */
  connectionsOfClient: defaultSocketsOfClient,
  enabled: true,
};

export type SubscriptionBounds = typeof defaultBounds;

const retryAfterSeconds = 5;

const kinds = ['connections', 'subscriptions', 'cost', 'bytes'] as const;

type Usage = Record<(typeof kinds)[number], number>;

interface Opener {
  userId: string;
  clientAddress: string;
}

export interface OpenedSubscription {
  /** Cost of an event: see `cost.ts`. */
  cost: number;
  /** Memory of its document and variables. */
  bytes: number;
  /** An event stream has its own connection, which counts too. */
  hasConnection: boolean;
}

export class SubscriptionLimits {
  readonly bounds: SubscriptionBounds;
  readonly #ofUsers: Readonly<Record<keyof Usage, GroupCounts>> = {
    connections: new GroupCounts(),
    subscriptions: new GroupCounts(),
    cost: new GroupCounts(),
    bytes: new GroupCounts(),
  };
  /** Numbers of connections by client and network. */
  readonly #connections = new GroupCounts();

  constructor(bounds: Partial<SubscriptionBounds> = {}) {
    this.bounds = { ...defaultBounds, ...bounds };
  }

  usageOf(userId: string): Usage {
    return Object.fromEntries(kinds.map((kind) => [kind, this.#ofUsers[kind].get(userId)])) as Usage;
  }

  /** @throws RATE_LIMITED as {@link openSubscription} */
  openConnection(opener: Opener): () => void {
    return this.#take(opener, { connections: 1, subscriptions: 0, cost: 0, bytes: 0 });
  }

  /**
   * @returns releases it; idempotent
   * @throws RATE_LIMITED if a limit of the user or client is exceeded
   */
  openSubscription(opener: Opener, { cost, bytes, hasConnection }: OpenedSubscription): () => void {
    return this.#take(opener, { connections: hasConnection ? 1 : 0, subscriptions: 1, cost: Math.ceil(cost), bytes });
  }

  #take(opener: Opener, more: Usage): () => void {
    if (this.bounds.enabled) this.#requireRoom(opener, more);
    const releases = [
      ...kinds.map((kind) => this.#ofUsers[kind].take([opener.userId], more[kind])),
      this.#connections.take(networksOf(opener.clientAddress), more.connections),
    ];
    return () => releases.forEach((release) => release());
  }

  #requireRoom({ userId, clientAddress }: Opener, more: Usage): void {
    const { connections, subscriptions, cost, connectionsOfClient } = this.bounds;
    const messages = {
      connections: `You may have ${connections} connections for changes open at once`,
      subscriptions: `You may have ${subscriptions} subscriptions open at once`,
      cost: `Your open subscriptions may cost ${cost} together`,
      bytes: 'Your open subscriptions take too much memory together',
    };
    const refusal = (what: string, policy: RateLimitPolicy, subject?: string) =>
      rateLimited(policy, `${what}: close some first`, { retryAfter: retryAfterSeconds, subject });
    for (const kind of kinds) {
      const quota = this.bounds[kind];
      if (!this.#ofUsers[kind].hasRoom([userId], more[kind], quota))
        throw refusal(messages[kind], { name: 'subscriptions', quota });
    }
    // On an existing connection, subscriptions do not count for the client.
    const { connections: opened } = more;
    if (opened > 0 && !this.#connections.hasRoom(networksOf(clientAddress), opened, connectionsOfClient))
      throw refusal(
        'Too many connections for changes are open from your network',
        socketsOfClient(connectionsOfClient),
        clientAddress,
      );
  }
}
