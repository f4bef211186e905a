import { rateLimited } from '../kernel/errors.ts';
import { defaultRates, socketsOfClient } from '../kernel/rate-limit-policies.ts';

/** What one user, and one client, may have open at once, over all transports and sessions together, in one process. */
export const subscriptionLimits = {
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

/** Seconds after which a refused client may try again: another connection may have ended by then. */
const retryAfterSeconds = 5;

interface Usage {
  connections: number;
  subscriptions: number;
  cost: number;
  bytes: number;
}

const nothing: Usage = { connections: 0, subscriptions: 0, cost: 0, bytes: 0 };

const usages = new Map<string, Usage>();
/** Connections by client. */
const connectionsOfClients = new Map<string, number>();

/** Who opens something. */
export interface Opener {
  userId: string;
  clientAddress: string;
}

/** What the user has open; zeros where there is nothing. */
export const usageOf = (userId: string): Readonly<Usage> => usages.get(userId) ?? nothing;

/**
 * Counts a connection of the user's and the client's.
 * @returns what gives it back; called again it does nothing
 * @throws RATE_LIMITED where the user or the client has as many as there may be
 */
export const openConnection = (opener: Opener): (() => void) => take(opener, { ...nothing, connections: 1 });

/** What is counted of a subscription. */
export interface OpenedSubscription {
  /** What the execution of one event is estimated to cost: see `graphql/cost.ts`. */
  cost: number;
  /** Memory that its document and variables take while it is open. */
  bytes: number;
  /** Whether it has a connection of its own, which counts as well: a stream of Server-Sent Events. */
  hasConnection: boolean;
}

/**
 * Counts a subscription of the user's, and its connection, if it has one, of the client's as well.
 * @returns what gives it back; called again it does nothing
 * @throws RATE_LIMITED where the user or the client has as many as there may be, or they cost as much as they may
 */
export const openSubscription = (opener: Opener, { cost, bytes, hasConnection }: OpenedSubscription): (() => void) =>
  take(opener, { connections: hasConnection ? 1 : 0, subscriptions: 1, cost, bytes });

function take(opener: Opener, more: Usage): () => void {
  const { userId, clientAddress } = opener;
  const usage = add(usageOf(userId), more);
  const ofClient = (connectionsOfClients.get(clientAddress) ?? 0) + more.connections;
  if (subscriptionLimits.enabled) {
    refuseBeyond(usage);
    if (more.connections > 0) refuseClientBeyond(ofClient, clientAddress);
  }
  usages.set(userId, usage);
  if (more.connections > 0) connectionsOfClients.set(clientAddress, ofClient);
  let taken = true;
  return () => {
    if (taken) giveBack(opener, more);
    taken = false;
  };
}

const add = (usage: Usage, other: Usage, sign: 1 | -1 = 1): Usage => ({
  connections: usage.connections + sign * other.connections,
  subscriptions: usage.subscriptions + sign * other.subscriptions,
  cost: usage.cost + sign * other.cost,
  bytes: usage.bytes + sign * other.bytes,
});

function refuseBeyond(usage: Usage): void {
  const { connections, subscriptions, cost, bytes } = subscriptionLimits;
  const refusal = (what: string, quota: number) =>
    rateLimited({ name: 'subscriptions', quota }, `${what}: close some first`, { retryAfter: retryAfterSeconds });
  if (usage.connections > connections)
    throw refusal(`You may have ${connections} connections for changes open at once`, connections);
  if (usage.subscriptions > subscriptions)
    throw refusal(`You may have ${subscriptions} subscriptions open at once`, subscriptions);
  if (usage.cost > cost) throw refusal(`Your open subscriptions may cost ${cost} together`, cost);
  if (usage.bytes > bytes) throw refusal('Your open subscriptions take too much memory together', bytes);
}

function refuseClientBeyond(connections: number, clientAddress: string): void {
  const { connectionsOfClient: quota } = subscriptionLimits;
  if (connections <= quota) return;
  const message = 'Too many connections for changes are open from your network: close some first';
  throw rateLimited(socketsOfClient(quota), message, {
    retryAfter: retryAfterSeconds,
    subject: clientAddress,
  });
}

function giveBack({ userId, clientAddress }: Opener, less: Usage): void {
  const ofClient = (connectionsOfClients.get(clientAddress) ?? 0) - less.connections;
  if (ofClient > 0) connectionsOfClients.set(clientAddress, ofClient);
  else connectionsOfClients.delete(clientAddress);
  const usage = add(usageOf(userId), less, -1);
  if (usage.connections + usage.subscriptions === 0) usages.delete(userId);
  else usages.set(userId, usage);
}
