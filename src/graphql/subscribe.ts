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
import { TaskgateError } from '../kernel/errors.ts';
import { codeOf, presentable } from './errors.ts';
import { run } from './execute.ts';
import { requireRightsFor } from './rights.ts';
import { countSubscription, type Outcome } from './operation-metrics.ts';
import { stream } from '../kernel/stream.ts';
import type { OpenedSubscription } from './subscription-limits.ts';
import type { Turns } from '../kernel/turns.ts';

export interface SubscriptionEvent {
  /** With the current viewer and new loaders. */
  context: Context;
  /** A resolver skips the event. */
  withdrawn?: boolean;
}

/** Ends by throwing a presentable error. */
export type ResultStream = AsyncGenerator<ExecutionResult, void>;

/** Before an event is retried, in milliseconds. */
const pauses = [50, 100, 200, 400, 800, 1600, 3200, 6400];
/** While the database is unavailable, retries are cheap and not counted. */
const awayPauseMs = 250;

/**
 * A cheaper event needs no turn of its account's queries. Such events run together, to share look-ups of viewers and
 * tasks.
 */
const smallCost = 100;

/** `work` learns whether it has waited. */
export type Admit = <Result>(work: (hasWaited: boolean) => Promise<Result>) => Promise<Result>;

export interface SubscribeOptions extends OpenedSubscription {
  /** Bounds concurrent events of a shared transport. */
  admit?: Admit;
  /** Called once when it ends or cannot start. */
  onEnd?: () => void;
}

const inTurnOf =
  (turns: Turns, key: string): Admit =>
  async (work) => {
    await turns.next(key);
    return work(false);
  };

/**
 * Unlike in the library's `subscribe`, each event has its own context, because the operation's grows stale, and its own
 * turn of the event loop, so a change with many subscriptions delays nobody else.
 * @returns results, or presentable errors: RATE_LIMITED if the user has too many open
 */
export async function subscribe(
  args: ExecutionArgs,
  options: SubscribeOptions,
): Promise<ResultStream | ExecutionResult> {
  const context = args.contextValue as Context;
  const { requestId, viewer, clientAddress, services } = context;
  const { admit = inTurnOf(services.turns, viewer?.id ?? clientAddress), onEnd, ...opened } = options;
  let release = () => {};
  let ended = false;
  const countEnd = countSubscription(context.source);
  const end = (outcome: Outcome) => {
    if (ended) return;
    ended = true;
    countEnd(outcome);
    onEnd?.();
    release();
  };
  const refuse = (errors: readonly unknown[]) => {
    for (const error of errors) services.securityLog.refusal(context, error);
    end(codeOf(errors[0]));
    return errors.map((error) => presentable(error, requestId));
  };
  try {
    requireRightsFor(args, viewer);
    if (viewer) release = services.subscriptions.openSubscription({ userId: viewer.id, clientAddress }, opened);
    const source = await createSourceEventStream(args);
    // A subscription has no deadline.
    context.cancellation.lift();
    if (Symbol.asyncIterator in source) {
      const takesTurn = opened.cost > smallCost;
      return resultsOf(args, source as AsyncGenerator<SubscriptionEvent, void>, { admit, end, takesTurn });
    }
    return { ...source, errors: refuse(source.errors ?? []) };
  } catch (error) {
    return { errors: refuse([error]) };
  }
}

function resultsOf(
  args: ExecutionArgs,
  events: AsyncGenerator<SubscriptionEvent, void>,
  { admit, end, takesTurn }: { admit: Admit; end: (outcome: Outcome) => void; takesTurn: boolean },
): ResultStream {
  const { requestId } = args.contextValue as Context;
  let over = false;

  async function next(): Promise<IteratorResult<ExecutionResult, void>> {
    for (;;) {
      const { done, value } = await events.next();
      if (done) return { done, value: undefined };
      const result = await executeEvent(args, value, { admit, takesTurn, isOver: () => over });
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

/** Retries a failed event. Skipping it would lose a change. */
async function executeEvent(
  args: ExecutionArgs,
  event: SubscriptionEvent,
  { admit, takesTurn, isOver }: { admit: Admit; takesTurn: boolean; isOver: () => boolean },
): Promise<ExecutionResult> {
  const ofEvent: ExecutionArgs = { ...args, rootValue: event, contextValue: event.context };
  for (let attempt = 0, again = false; ; again = true) {
    const hasPaused = again;
    const result = await admit((hasWaited) => run(ofEvent, { hasWaited: hasWaited || hasPaused, takesTurn })).catch(
      asResult,
    );
    const failure = result.errors?.find(isFailure);
    if (!failure || isOver()) {
      return { ...result, errors: result.errors?.map((error) => presentable(error, event.context.requestId)) };
    }
    const pause = event.context.services.connections.isAway ? awayPauseMs : pauses[attempt++];
    if (pause === undefined) throw failure;
    await delay(pause);
  }
}

const asResult = (error: unknown): ExecutionResult => ({
  errors: [error instanceof GraphQLError ? error : new GraphQLError('it failed', { originalError: error as Error })],
});

/** Whether to retry. */
function isFailure(error: GraphQLError): boolean {
  const origin = error.originalError ?? error;
  if (origin instanceof TaskgateError) return origin.code === 'UNAVAILABLE';
  return !(origin instanceof GraphQLError);
}

/** @returns the data of each event @throws a presentable error */
export async function subscribeOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  variableValues: Record<string, unknown>,
  contextValue: Context,
  options: SubscribeOptions,
): Promise<AsyncGenerator<unknown, void>> {
  const results = await subscribe({ schema, document, variableValues, contextValue }, options);
  if (!(Symbol.asyncIterator in results)) throw firstError(results) ?? new Error('the subscription has no results');
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
