import { refreshViewer } from '@taskgate/execution';
import { FairQueue } from '@taskgate/work';
import { type Context, signedIn } from '../platform/context.ts';
import type { Connections } from '../platform/database.ts';

/** Streamed lists may have slow readers. */
export const listPolicy = {
  name: 'lists',
  /** Seven accounts with slow readers leave two of sixteen slots free. */
  slotsPerKey: 2,
  waitingPerKey: 100,
  patienceMs: 240_000,
  burstMs: 60_000,
  overloadMs: 10_000,
} as const;

declare module '../platform/services.ts' {
  interface Services {
    lists: FairQueue;
  }
}

/** Streamed lists no longer count as in flight: see load-shedding.ts. */
export const listTurns = (connections: Connections) =>
  new FairQueue({ ...listPolicy, slots: () => connections.cursorConnections });

/**
 * @param send gets a context with the caller's current access
 * @throws UNAVAILABLE if the turn does not come in time; UNAUTHENTICATED if the session has ended; the reason of the
 * context's signal
 */
export async function inStreamTurn(context: Context, send: (context: Context) => Promise<void>): Promise<void> {
  const { cancellation } = context;
  const { signal } = cancellation;
  const work = async (hasWaited: boolean) => {
    if (hasWaited) await refreshViewer(context);
    await send({ ...context, viewer: { ...signedIn(context), signal } });
  };
  // The turn, the batches and the client's reading have their own limits.
  cancellation.lift();
  await context.services.lists.run(signedIn(context).id, work, { signal });
}
