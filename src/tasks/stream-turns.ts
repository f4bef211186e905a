import { type Context, refreshViewer, signedIn } from '../kernel/context.ts';
import { cursorConnections } from '../database/database.ts';
import { FairQueue } from '../kernel/fair-queue.ts';

/** Lists that are sent while they are read, at once. Others wait, as those before them may be sent to slow readers. */
export const listPolicy = {
  name: 'lists',
  /** Seven accounts of slow readers leave two of sixteen slots free. */
  slotsPerKey: 2,
  waitingPerKey: 100,
  patienceMs: 240_000,
  burstMs: 60_000,
  overloadMs: 10_000,
} as const;

declare module '../kernel/services.ts' {
  interface Services {
    /** The turns of lists that are sent while they are read. */
    lists: FairQueue;
  }
}

/** They are in flight no longer: see load-shedding.ts. */
export const listTurns = () => new FairQueue({ ...listPolicy, slots: cursorConnections });

/**
 * Has a list sent while it is read, when it is its turn.
 * @param send reads and sends it, for the viewer as they are by then: the context that it is given
 * @throws UNAVAILABLE if it gets no turn; UNAUTHENTICATED if the session has ended meanwhile; the reason of the
 * context's signal
 */
export async function inStreamTurn(context: Context, send: (context: Context) => Promise<void>): Promise<void> {
  const { cancellation } = context;
  const { signal } = cancellation;
  const work = async (hasWaited: boolean) => {
    if (hasWaited) await refreshViewer(context);
    await send({ ...context, viewer: { ...signedIn(context), signal } });
  };
  // Its turn, each of its batches and its client's reading have their own bounds.
  cancellation.lift();
  await context.services.lists.run(signedIn(context).id, work, { signal });
}
