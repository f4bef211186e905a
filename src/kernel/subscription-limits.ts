import { rateLimited } from './errors.ts';

/** What one user may have open at once, over all transports and sessions together, in one process. */
export const subscriptionLimits = {
  /** WebSockets and streams of Server-Sent Events. */
  connections: 50,
  subscriptions: 1000,
  /** Sum of the estimated costs of one event of each subscription: as much as one operation may cost. */
  cost: 200_000,
  /** Whether users are held to them. */
  enabled: true,
};

/** Seconds after which a refused client may try again: another connection may have ended by then. */
const retryAfterSeconds = 5;

interface Usage {
  connections: number;
  subscriptions: number;
  cost: number;
}

const usages = new Map<string, Usage>();

/** What the user has open; zeros where there is nothing. */
export const usageOf = (userId: string): Readonly<Usage> =>
  usages.get(userId) ?? { connections: 0, subscriptions: 0, cost: 0 };

/**
 * Counts a connection of the user's.
 * @returns what gives it back; called again it does nothing
 * @throws RATE_LIMITED where the user has as many as there may be
 */
export const openConnection = (userId: string): (() => void) =>
  take(userId, { connections: 1, subscriptions: 0, cost: 0 });

/**
 * Counts a subscription of the user's.
 * @param cost what the execution of one event is estimated to cost
 * @param hasConnection whether it has a connection of its own, which counts as well: a stream of Server-Sent Events
 * @returns what gives it back; called again it does nothing
 * @throws RATE_LIMITED where the user has as many as there may be, or they cost as much as they may
 */
export const openSubscription = (userId: string, cost: number, hasConnection: boolean): (() => void) =>
  take(userId, { connections: hasConnection ? 1 : 0, subscriptions: 1, cost });

function take(userId: string, more: Usage): () => void {
  const before = usageOf(userId);
  const usage: Usage = {
    connections: before.connections + more.connections,
    subscriptions: before.subscriptions + more.subscriptions,
    cost: before.cost + more.cost,
  };
  if (subscriptionLimits.enabled) refuseBeyond(usage);
  usages.set(userId, usage);
  let taken = true;
  return () => {
    if (taken) giveBack(userId, more);
    taken = false;
  };
}

function refuseBeyond(usage: Usage): void {
  const { connections, subscriptions, cost } = subscriptionLimits;
  const refusal = (what: string) => rateLimited(`${what}: close some first`, retryAfterSeconds);
  if (usage.connections > connections)
    throw refusal(`You may have ${connections} connections for changes open at once`);
  if (usage.subscriptions > subscriptions) throw refusal(`You may have ${subscriptions} subscriptions open at once`);
  if (usage.cost > cost) throw refusal(`Your open subscriptions may cost ${cost} together`);
}

function giveBack(userId: string, less: Usage): void {
  const before = usageOf(userId);
  const usage: Usage = {
    connections: before.connections - less.connections,
    subscriptions: before.subscriptions - less.subscriptions,
    cost: before.cost - less.cost,
  };
  if (usage.connections + usage.subscriptions === 0) usages.delete(userId);
  else usages.set(userId, usage);
}
