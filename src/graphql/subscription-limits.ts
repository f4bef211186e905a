import { rateLimited } from '../kernel/errors.ts';
import { defaultRates, socketsOfClient } from '../kernel/rate-limit-policies.ts';

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
  /** WebSockets and streams of Server-Sent Events of a client, for whatever users. */
  connectionsOfClient: defaultRates.sockets,
  /** Whether anybody is held to them. */
  enabled: true,
};

export type SubscriptionBounds = typeof defaultBounds;

/** Seconds after which a refused client may try again: another connection may have ended by then. */
const retryAfterSeconds = 5;

interface Usage {
  connections: number;
  subscriptions: number;
  cost: number;
  bytes: number;
}

const nothing: Usage = { connections: 0, subscriptions: 0, cost: 0, bytes: 0 };

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
  /** Connections by client. */
  readonly #connectionsOfClients = new Map<string, number>();

  constructor(bounds: Partial<SubscriptionBounds> = {}) {
    this.bounds = { ...defaultBounds, ...bounds };
  }

  /** What the user has open; zeros where there is nothing. */
  usageOf(userId: string): Readonly<Usage> {
    return this.#usages.get(userId) ?? nothing;
  }

  /**
   * Counts a connection of the user's and the client's.
   * @returns what gives it back; called again it does nothing
   * @throws RATE_LIMITED where the user or the client has as many as there may be
   */
  openConnection(opener: Opener): () => void {
    return this.#take(opener, { ...nothing, connections: 1 });
  }

  /**
   * Counts a subscription of the user's, and its connection, if it has one, of the client's as well.
   * @returns what gives it back; called again it does nothing
   * @throws RATE_LIMITED where the user or the client has as many as there may be, or they cost as much as they may
   */
  openSubscription(opener: Opener, { cost, bytes, hasConnection }: OpenedSubscription): () => void {
    return this.#take(opener, { connections: hasConnection ? 1 : 0, subscriptions: 1, cost, bytes });
  }

  #take(opener: Opener, more: Usage): () => void {
    const { userId, clientAddress } = opener;
    const usage = add(this.usageOf(userId), more);
    const ofClient = (this.#connectionsOfClients.get(clientAddress) ?? 0) + more.connections;
    if (this.bounds.enabled) {
      this.#refuseBeyond(usage);
      if (more.connections > 0) this.#refuseClientBeyond(ofClient, clientAddress);
    }
    this.#usages.set(userId, usage);
    if (more.connections > 0) this.#connectionsOfClients.set(clientAddress, ofClient);
    let taken = true;
    return () => {
      if (taken) this.#giveBack(opener, more);
      taken = false;
    };
  }

  #refuseBeyond(usage: Usage): void {
    const { connections, subscriptions, cost, bytes } = this.bounds;
    const refusal = (what: string, quota: number) =>
      rateLimited({ name: 'subscriptions', quota }, `${what}: close some first`, { retryAfter: retryAfterSeconds });
    if (usage.connections > connections)
      throw refusal(`You may have ${connections} connections for changes open at once`, connections);
    if (usage.subscriptions > subscriptions)
      throw refusal(`You may have ${subscriptions} subscriptions open at once`, subscriptions);
    if (usage.cost > cost) throw refusal(`Your open subscriptions may cost ${cost} together`, cost);
    if (usage.bytes > bytes) throw refusal('Your open subscriptions take too much memory together', bytes);
  }

  #refuseClientBeyond(connections: number, clientAddress: string): void {
    const { connectionsOfClient: quota } = this.bounds;
    if (connections <= quota) return;
    const message = 'Too many connections for changes are open from your network: close some first';
    throw rateLimited(socketsOfClient(quota), message, {
      retryAfter: retryAfterSeconds,
      subject: clientAddress,
    });
  }

  #giveBack({ userId, clientAddress }: Opener, less: Usage): void {
    const ofClient = (this.#connectionsOfClients.get(clientAddress) ?? 0) - less.connections;
    if (ofClient > 0) this.#connectionsOfClients.set(clientAddress, ofClient);
    else this.#connectionsOfClients.delete(clientAddress);
    const usage = add(this.usageOf(userId), less, -1);
    if (usage.connections + usage.subscriptions === 0) this.#usages.delete(userId);
    else this.#usages.set(userId, usage);
  }
}
