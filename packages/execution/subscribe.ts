import { setTimeout as delay } from 'node:timers/promises';
import { createSourceEventStream, type ExecutionResult, GraphQLError } from 'graphql';
import { stream, TaskgateError } from '@taskgate/base';
import type { Turns } from '@taskgate/work';
import type { ExecutionContext } from './context.ts';
import { codeOf, failedResult, presentable, withPresentable } from './errors.ts';
import type { BoundArgs, Executor, OperationArgs, ResultStream, Subscribe } from './envelop.ts';
import type { Admit, Subscription } from './subscription.ts';

export interface SubscriptionEvent<Context extends ExecutionContext> {
  /** A new one, with the current viewer. */
  context: Context;
  /** A resolver skips the event. */
  withdrawn?: boolean;
}

/** Milliseconds to wait before an event is retried. */
const pauses = [50, 100, 200, 400, 800, 1600, 3200, 6400];
/** While the database is unavailable, retries are cheap and not counted. */
const awayPauseMs = 250;

/**
 * A cheaper event needs no turn of its account's queries. Such events run together, to share look-ups of viewers and
 * tasks.
 */
const smallCost = 100;

const inTurnOf =
  (turns: Turns, key: string): Admit =>
  async (work) => {
    await turns.next(key);
    return work(false);
  };

/** @returns results, or presentable errors: RATE_LIMITED if the user has too many open */
export async function subscribe<Context extends ExecutionContext>(
  executor: Executor<Context>,
  args: BoundArgs<Context>,
  subscription: Subscription,
): Promise<ResultStream | ExecutionResult> {
  const context: ExecutionContext = args.contextValue;
  context.subscription = subscription;
  const result = await executor.subscribe(args).catch(failedResult);
  if (Symbol.asyncIterator in result) return result;
  subscription.end(codeOf(result.errors?.[0]));
  return withPresentable(result, context);
}

/**
 * Each event has its own context, because the operation's grows stale, and its own turn of the event loop.
 * @param execute executes an event within the plugins
 */
export const subscribeWith =
  <Context extends ExecutionContext>(execute: Executor<Context>['execute']): Subscribe =>
  async (args) => {
    const source = await createSourceEventStream(args);
    // A subscription has no deadline.
    args.contextValue.cancellation.lift();
    if (!(Symbol.asyncIterator in source)) return source;
    return resultsOf(args, source as AsyncGenerator<SubscriptionEvent<Context>, void>, execute);
  };

function resultsOf<Context extends ExecutionContext>(
  args: OperationArgs,
  events: AsyncGenerator<SubscriptionEvent<Context>, void>,
  execute: Executor<Context>['execute'],
): ResultStream {
  const { requestId, services, viewer, clientAddress, subscription } = args.contextValue;
  const { admit = inTurnOf(services.turns, viewer?.id ?? clientAddress), cost = 0 } = subscription?.options ?? {};
  let over = false;

  async function resultOfEvent(event: SubscriptionEvent<Context>): Promise<ExecutionResult> {
    const { context } = event;
    context.takesTurn = cost > smallCost;
    const run = (hasWaited: boolean) => {
      context.mustRefreshViewer ||= hasWaited;
      return execute({ ...args, rootValue: event, contextValue: context });
    };
    // A failed event is retried. Skipping it would lose a change.
    for (let attempt = 0; ; context.mustRefreshViewer = true) {
      const result = await admit(run).catch(failedResult);
      const failure = result.errors?.find(isFailure);
      if (!failure || over) return withPresentable(result, context);
      const pause = services.connections.isAway ? awayPauseMs : pauses[attempt++];
      if (pause === undefined) throw failure;
      await delay(pause);
    }
  }

  async function next(): Promise<IteratorResult<ExecutionResult, void>> {
    for (;;) {
      const { done, value: event } = await events.next();
      if (done) return { done, value: undefined };
      const result = await resultOfEvent(event);
      if (!event.withdrawn) return { done: false, value: result };
    }
  }

  return stream(
    () =>
      next().catch((error: unknown) => {
        subscription?.end(codeOf(error));
        throw presentable(error, requestId);
      }),
    () => {
      over = true;
      subscription?.end('ok');
      return events.return();
    },
  );
}

/** Whether to retry. */
function isFailure(error: GraphQLError): boolean {
  const origin = error.originalError ?? error;
  if (origin instanceof TaskgateError) return origin.code === 'UNAVAILABLE';
  return !(origin instanceof GraphQLError);
}
