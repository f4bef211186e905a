import { unauthenticated } from '@taskgate/base';
import type { Postgres, ReadBudget, SpaceStates } from '@taskgate/postgres';
import type { Cancellation, Deadlines, FairQueue, Turns } from '@taskgate/work';
import type { OperationSource } from './operation-metrics.ts';
import type { Subscription } from './subscription.ts';
import type { SubscriptionLimits } from './subscription-limits.ts';

/** The account of an operation, and the state of its spaces at the start. */
export interface Caller extends SpaceStates {
  id: string;
  /** The data that the operation may still read. Like the signal, it is set during execution. */
  budget?: ReadBudget;
  /** See {@link Cancellation.signal}. */
  signal?: AbortSignal | undefined;
}

/** Objects with a lifetime, which operations share. */
export interface ExecutionServices {
  connections: Pick<Postgres, 'isAway'>;
  deadlines: Deadlines;
  /** See `use-turn.ts`. */
  queries: FairQueue;
  subscriptions: SubscriptionLimits;
  /** Turns of the event loop, for work that must not delay other requests. */
  turns: Turns;
}

/** The part of an operation's context that execution needs. */
export interface ExecutionContext {
  services: ExecutionServices;
  /** Null if anonymous. */
  viewer: Caller | null;
  session: {
    /** Reads the caller again. Null if the session has ended. */
    viewer(): Promise<Caller | null>;
  };
  /** Cleared by {@link refreshViewer}. */
  mustRefreshViewer?: boolean;
  requestId: string;
  source: OperationSource;
  cancellation: Cancellation;
  /** IPv4 address, or /64 network of an IPv6 address. Limits count clients by it. */
  clientAddress: string;
  /** Default: true for queries. */
  takesTurn?: boolean;
  subscription?: Subscription;
  /** Set if below the default. */
  maxResponseBytes?: number;
  /** Settles when the process no longer holds the response. Absent: when execution ends. */
  whenSent?: (() => Promise<unknown>) | undefined;
}

/** Returns a function that lets others use the event loop, within large work for the caller. */
export const pauseOf =
  ({ services, viewer, requestId, subscription }: ExecutionContext) =>
  (): Promise<void> =>
    services.turns.next(viewer?.id ?? requestId, true, subscription === undefined);

/**
 * Reads the viewer again, after a wait or a change.
 * @throws UNAUTHENTICATED if the session has ended or has another account
 */
export async function refreshViewer(context: ExecutionContext): Promise<void> {
  if (!context.viewer) return;
  const viewer = await context.session.viewer();
  context.viewer = viewer?.id === context.viewer.id ? { ...context.viewer, ...viewer } : null;
  context.mustRefreshViewer = false;
  if (!context.viewer) throw unauthenticated();
}
