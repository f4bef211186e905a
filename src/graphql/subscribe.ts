import { setTimeout as delay } from 'node:timers/promises';
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import type { Context } from '../kernel/context.ts';
import { isDatabaseAway } from '../database/database.ts';
import { TaskgateError } from '../kernel/errors.ts';
import { codeOf, presentable } from './errors.ts';
import { run } from './execute.ts';
import { requireRightsFor } from './rights.ts';
import { countSubscription, type Outcome } from './operation-metrics.ts';
import { stream } from '../kernel/stream.ts';
import type { OpenedSubscription } from './subscription-limits.ts';
import { nextTurn } from '../kernel/turns.ts';

/** An event of a subscription, as its source gives it: the root value of the event's own execution. */
export interface SubscriptionEvent {
  /** The context of this event alone: its viewer was looked up for it, its loaders are fresh. */
  context: Context;
  /** Set by a resolver that finds that there is nothing to emit after all: the event is left out. */
  withdrawn?: boolean;
}

/** Results of a subscription. It ends by throwing an error that is fit to be shown. */
export type ResultStream = AsyncGenerator<ExecutionResult, void>;

/** Pauses, in milliseconds, before an event is executed again when the service cannot do it just now. */
const pauses = [50, 100, 200, 400, 800, 1600, 3200, 6400];
/** The pause while the database is unavailable, for however long that is: such a try costs nothing, and does not count. */
const awayPauseMs = 250;

/** Runs the execution of an event when it is its turn; it is given whether it has waited for that. */
export type Admit = <Result>(work: (hasWaited: boolean) => Promise<Result>) => Promise<Result>;

export interface SubscribeOptions extends OpenedSubscription {
  /** Over a transport that many subscriptions share: what bounds how many of their events run at once. */
  admit?: Admit;
  /** Called once where it has ended, or could not begin. */
  onEnd?: () => void;
}

const inTurnOf =
  (key: string): Admit =>
  async (work) => {
    await nextTurn(key);
    return work(false);
  };

/**
 * Runs a subscription. Unlike the library's own `subscribe`, it executes each event with the context
 * that the event brings, as that of the operation was made once and grows old; and in a separate turn of the event loop, so that a change
 * with many subscriptions delays nobody else.
 * @returns the results; or, where it cannot begin, its errors, fit to be shown: RATE_LIMITED where its user has as
 *   many open as there may be
 */
export async function subscribe(
  args: ExecutionArgs,
  options: SubscribeOptions,
): Promise<ResultStream | ExecutionResult> {
  const context = args.contextValue as Context;
  const { requestId, viewer, clientAddress, services } = context;
  const { admit = inTurnOf(viewer?.id ?? clientAddress), onEnd, ...opened } = options;
  let giveBack = () => {};
  let ended = false;
  const counted = countSubscription(context.source);
  const end = (outcome: Outcome) => {
    if (ended) return;
    ended = true;
    counted(outcome);
    onEnd?.();
    giveBack();
  };
  const refuse = (errors: readonly unknown[]) => {
    for (const error of errors) services.securityLog.refusal(context, error);
    end(codeOf(errors[0]));
    return errors.map((error) => presentable(error, requestId));
  };
  try {
    requireRightsFor(args, viewer);
    if (viewer) giveBack = services.subscriptions.openSubscription({ userId: viewer.id, clientAddress }, opened);
    const source = await createSourceEventStream(args);
    // It lasts for as long as its client likes.
    context.cancellation.lift();
    if (Symbol.asyncIterator in source) {
      return resultsOf(args, source as AsyncGenerator<SubscriptionEvent, void>, { admit, end });
    }
    return { ...source, errors: refuse(source.errors ?? []) };
  } catch (error) {
    return { errors: refuse([error]) };
  }
}

function resultsOf(
  args: ExecutionArgs,
  events: AsyncGenerator<SubscriptionEvent, void>,
  { admit, end }: { admit: Admit; end: (outcome: Outcome) => void },
): ResultStream {
  const { requestId } = args.contextValue as Context;
  let over = false;

  async function next(): Promise<IteratorResult<ExecutionResult, void>> {
    for (;;) {
      const { done, value } = await events.next();
      if (done) return { done, value: undefined };
      const result = await executeEvent(args, value, { admit, isOver: () => over });
      if (!value.withdrawn) return { done: false, value: result };
    }
  }

  return stream(
    () =>
      next().catch((error: unknown) => {
        end(codeOf(error));
        throw presentable(error, requestId);
      }),
    () => {
      over = true;
      end('ok');
      return events.return();
    },
  );
}

/** An event whose execution fails is not passed over: that would be a change that was never emitted. */
async function executeEvent(
  args: ExecutionArgs,
  event: SubscriptionEvent,
  { admit, isOver }: { admit: Admit; isOver: () => boolean },
): Promise<ExecutionResult> {
  const ofEvent: ExecutionArgs = { ...args, rootValue: event, contextValue: event.context };
  for (let attempt = 0, again = false; ; again = true) {
    const hasPaused = again;
    const result = await admit((hasWaited) => run(ofEvent, hasWaited || hasPaused)).catch(asResult);
    const failure = result.errors?.find(isFailure);
    if (!failure || isOver()) {
      return { ...result, errors: result.errors?.map((error) => presentable(error, event.context.requestId)) };
    }
    const pause = isDatabaseAway() ? awayPauseMs : pauses[attempt++];
    if (pause === undefined) throw failure;
    await delay(pause);
  }
}

/** What could not be executed at all, such as where the viewer could not be read again, has failed like any field. */
const asResult = (error: unknown): ExecutionResult => ({
  errors: [error instanceof GraphQLError ? error : new GraphQLError('it failed', { originalError: error as Error })],
});

/** Whether to try again: after a fault, or what the service cannot do at the moment. */
function isFailure(error: GraphQLError): boolean {
  const origin = error.originalError ?? error;
  if (origin instanceof TaskgateError) return origin.code === 'UNAVAILABLE';
  return !(origin instanceof GraphQLError);
}

/** Runs a validated subscription of the service's own. @returns the data of each event @throws what ends it, made presentable */
export async function subscribeOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  variableValues: Record<string, unknown>,
  contextValue: Context,
  options: SubscribeOptions,
): Promise<AsyncGenerator<unknown, void>> {
  const results = await subscribe({ schema, document, variableValues, contextValue }, options);
  if (!(Symbol.asyncIterator in results)) throw firstError(results) ?? new Error('a subscription without results');
  const next = async (): Promise<IteratorResult<unknown, void>> => {
    const { done, value } = await results.next();
    if (done) return { done, value: undefined };
    const error = firstError(value);
    if (error) throw error;
    return { done: false, value: value.data };
  };
  return stream(next, () => results.return());
}

const firstError = ({ errors: [error] = [] }: ExecutionResult): Error | undefined => error?.originalError ?? error;
