import { type Context, refreshViewer, signedIn } from '../kernel/context.ts';
import { databaseLimits } from '../database/database.ts';
import { SharedLimiter } from '../kernel/keyed-limiter.ts';
import type { CompiledSelection } from '../nested-read/compiled-selection.ts';
import * as data from './stream-data.ts';

/** Lists that are sent while they are read, at once. Others wait, as those before them may be sent to slow readers. */
export const streamLimits = {
  perAccount: 4,
  inAll: databaseLimits.cursorConnections,
  waitingPerAccount: 100,
  waitingInAll: 1_000,
  /** Milliseconds for which one waits for its turn; then it is refused. */
  waitMs: 240_000,
} as const;

declare module '../kernel/services.ts' {
  interface Services {
    /** The turns of lists that are sent while they are read. */
    lists: SharedLimiter;
  }
}

/** They are in flight no longer: see load-shedding.ts. */
export const listTurns = (): SharedLimiter => {
  const { perAccount, inAll, waitingPerAccount, waitingInAll, waitMs: maxWaitMs } = streamLimits;
  return new SharedLimiter(
    { name: 'lists_of_account', concurrency: perAccount, maxWaiting: waitingPerAccount, maxWaitMs },
    { name: 'lists', concurrency: inAll, maxWaiting: waitingInAll, maxWaitMs },
  );
};

/** Batches of a list that is too large to be made as a whole; all of one snapshot. */
export type TaskBatches<Task, Section = never> = AsyncIterable<data.StreamedTask<Task, Section>[]>;

/**
 * Has a list sent while it is read, when it is its turn, to the viewer as they are by then.
 * @throws UNAVAILABLE where it does not come to its turn; UNAUTHENTICATED where the session has ended meanwhile; the reason
 * of the context's signal
 */
export async function inTurn<Stream>(
  context: Context,
  open: (context: Context) => Stream,
  send: (stream: Stream) => Promise<void>,
): Promise<void> {
  const work = async (hasWaited: boolean) => {
    if (hasWaited) await refreshViewer(context);
    await send(open({ ...context, viewer: { ...signedIn(context), signal } }));
  };
  const { cancellation } = context;
  const { signal } = cancellation;
  // Its turn, each of its batches and its client's reading have bounds of their own.
  cancellation.lift();
  await context.services.lists.run(signedIn(context).id, work, signal);
}

/** Sends the viewer's tasks, each with its tree: see {@link inTurn}. */
export const sendTasks = <Task>(
  context: Context,
  args: data.ListArguments,
  task: CompiledSelection<Task>,
  send: (stream: TaskBatches<Task>) => Promise<void>,
) => inTurn(context, (own) => data.streamTasks(own, args, task), send);

/** Sends the sections of a project with their tasks, each with its tree: see {@link inTurn}. */
export const sendSections = <Section, Task>(
  context: Context,
  projectId: string,
  rows: data.SectionRows<Section, Task>,
  send: (stream: TaskBatches<Task, Section>) => Promise<void>,
) => inTurn(context, (own) => data.streamSections(own, projectId, rows), send);
