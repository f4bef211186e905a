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

const nothing = { connections: 0, subscriptions: 0, cost: 0, bytes: 0 };

type Usage = typeof nothing;

/** Who opens something. */
export interface Opener {
  userId: string;
  clientAddress: string;
}

/** What is counted of a subscription. */
export interface OpenedSubscription {
  /** What the execution of one event is estimated to cost: see `graphql/cost.ts`. */
  cost: number;
  /** Memory that its document and variables take while it is open. */
  bytes: number;
  /** Whether it has a connection of its own, which counts as well: a stream of Server-Sent Events. */
  hasConnection: boolean;
}

const add = (usage: Usage, other: Usage, sign: 1 | -1 = 1): Usage => ({
  connections: usage.connections + sign * other.connections,
  subscriptions: usage.subscriptions + sign * other.subscriptions,
  cost: usage.cost + sign * other.cost,
  bytes: usage.bytes + sign * other.bytes,
});

/** Counts what each user and each client has open. */
export class SubscriptionLimits {
  readonly bounds: SubscriptionBounds;
  readonly #usages = new Map<string, Usage>();
  /** Of clients, and of the networks around them. */
  readonly #connections = new GroupCounts();

  constructor(bounds: Partial<SubscriptionBounds> = {}) {
    this.bounds = { ...defaultBounds, ...bounds };
  }

  /** What the user has open; zeros where there is nothing. */
  usageOf(userId: string): Readonly<Usage> {
    return this.#usages.get(userId) ?? nothing;
  }

  /** Counts a connection of the user's and the client's, as {@link openSubscription} does. */
  openConnection(opener: Opener): () => void {
    return this.#take(opener, { ...nothing, connections: 1 });
  }

  /**
   * Counts a subscription of the user's, and its connection, if it has one, of the client's as well.
   * @returns what gives it back; called again it does nothing
   * @throws RATE_LIMITED where the user or the client has as many as there may be, or what they take is too much
   */
  openSubscription(opener: Opener, { cost, bytes, hasConnection }: OpenedSubscription): () => void {
    return this.#take(opener, { connections: hasConnection ? 1 : 0, subscriptions: 1, cost, bytes });
  }

  #take(opener: Opener, more: Usage): () => void {
    const { userId, clientAddress } = opener;
    const usage = add(this.usageOf(userId), more);
    if (this.bounds.enabled) this.#requireRoom(usage, more.connections, clientAddress);
    this.#usages.set(userId, usage);
    this.#connections.add(networksOf(clientAddress), more.connections);
    let taken = true;
    return () => {
      if (taken) this.#giveBack(opener, more);
      taken = false;
    };
  }

  /** @throws RATE_LIMITED where the user's usage or the client's connections would be more than may be */
  #requireRoom(usage: Usage, moreConnections: number, clientAddress: string): void {
    const { connections, subscriptions, cost, bytes, connectionsOfClient: ofClient } = this.bounds;
    const refusal = (what: string, policy: RateLimitPolicy, subject?: string) =>
      rateLimited(policy, `${what}: close some first`, { retryAfter: retryAfterSeconds, subject });
    const ofUser = (what: string, quota: number) => refusal(what, { name: 'subscriptions', quota });
    if (usage.connections > connections)
      throw ofUser(`You may have ${connections} connections for changes open at once`, connections);
    if (usage.subscriptions > subscriptions)
      throw ofUser(`You may have ${subscriptions} subscriptions open at once`, subscriptions);
    if (usage.cost > cost) throw ofUser(`Your open subscriptions may cost ${cost} together`, cost);
    if (usage.bytes > bytes) throw ofUser('Your open subscriptions take too much memory together', bytes);
    const fromNetwork = 'Too many connections for changes are open from your network';
    // What opens no connection is not refused for those that the client has.
    if (moreConnections > 0 && !this.#connections.hasRoom(networksOf(clientAddress), moreConnections, ofClient))
      throw refusal(fromNetwork, socketsOfClient(ofClient), clientAddress);
  }

  #giveBack({ userId, clientAddress }: Opener, less: Usage): void {
    this.#connections.add(networksOf(clientAddress), -less.connections);
    const usage = add(this.usageOf(userId), less, -1);
    if (usage.connections + usage.subscriptions === 0) this.#usages.delete(userId);
    else this.#usages.set(userId, usage);
  }
}
