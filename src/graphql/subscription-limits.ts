import { rateLimited } from '../kernel/errors.ts';
import { GroupCounts } from '../kernel/group-counts.ts';
import { networksOf } from '../kernel/networks.ts';
import { defaultRates, type RateLimitPolicy, socketsOfClient } from '../kernel/rate-limit-policies.ts';

declare module '../kernel/services.ts' {
  interface Services {
    subscriptions: SubscriptionLimits;
  }
}

/** What one user, and one client, may have open at once, over all transports and sessions together, in one process. */
const defaultBounds = {
  /** WebSockets and streams of Server-Sent Events. */
  connections: 50,
  subscriptions: 1000,
  /** Sum of the estimated costs of one event of each subscription: as much as one operation may cost. */
  cost: 200_000,
  /** Sum of the bytes that their documents and variables take; a thousand of 60 tokens each are within. */
  bytes: 32 * 1024 * 1024,
  /** WebSockets and streams of Server-Sent Events of a client, for whatever users; of a network around it as `group-counts.ts` says. */
  connectionsOfClient: defaultRates.sockets,
  /** Whether anybody is held to them. */
  enabled: true,
};

export type SubscriptionBounds = typeof defaultBounds;

/** Seconds after which a refused client may try again: another connection may have ended by then. */
const retryAfterSeconds = 5;

const kinds = ['connections', 'subscriptions', 'cost', 'bytes'] as const;

type Usage = Record<(typeof kinds)[number], number>;

export interface Opener {
  userId: string;
  clientAddress: string;
}

export interface OpenedSubscription {
  /** What the execution of one event is estimated to cost: see `graphql/cost.ts`. */
  cost: number;
  /** Memory that its document and variables take while it is open. */
  bytes: number;
  /** Whether it has its own connection, which counts as well: a stream of Server-Sent Events. */
  hasConnection: boolean;
}

/** Counts what each user and each client has open. */
export class SubscriptionLimits {
  readonly bounds: SubscriptionBounds;
  readonly #ofUsers: Readonly<Record<keyof Usage, GroupCounts>> = {
    connections: new GroupCounts(),
    subscriptions: new GroupCounts(),
    cost: new GroupCounts(),
    bytes: new GroupCounts(),
  };
  /** Of clients, and of the networks around them. */
  readonly #connections = new GroupCounts();

  constructor(bounds: Partial<SubscriptionBounds> = {}) {
    this.bounds = { ...defaultBounds, ...bounds };
  }

  usageOf(userId: string): Usage {
    return Object.fromEntries(kinds.map((kind) => [kind, this.#ofUsers[kind].of(userId)])) as Usage;
  }

  /** Counts a connection of the user's and the client's, as {@link openSubscription} does. */
  openConnection(opener: Opener): () => void {
    return this.#take(opener, { connections: 1, subscriptions: 0, cost: 0, bytes: 0 });
  }

  /**
   * Counts a subscription of the user's, and its connection, if it has one, of the client's as well.
   * @returns what gives it back; called again it does nothing
   * @throws RATE_LIMITED where the user or the client has as many as there may be, or what they take is too much
   */
  openSubscription(opener: Opener, { cost, bytes, hasConnection }: OpenedSubscription): () => void {
    return this.#take(opener, { connections: hasConnection ? 1 : 0, subscriptions: 1, cost: Math.ceil(cost), bytes });
  }

  #take(opener: Opener, more: Usage): () => void {
    if (this.bounds.enabled) this.#requireRoom(opener, more);
    const taken = [
      ...kinds.map((kind) => this.#ofUsers[kind].take([opener.userId], more[kind])),
      this.#connections.take(networksOf(opener.clientAddress), more.connections),
    ];
    return () => taken.forEach((giveBack) => giveBack());
  }

  /** @throws RATE_LIMITED where the user's usage or the client's connections would be more than may be */
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
    // What opens no connection is not refused for those that the client has.
    const { connections: opened } = more;
    if (opened > 0 && !this.#connections.hasRoom(networksOf(clientAddress), opened, connectionsOfClient))
      throw refusal(
        'Too many connections for changes are open from your network',
        socketsOfClient(connectionsOfClient),
        clientAddress,
      );
  }
}
