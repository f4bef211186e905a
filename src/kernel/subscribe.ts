import { setTimeout as delay } from 'node:timers/promises';
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import type { Context } from './context.ts';
import { TaskgateError } from './errors.ts';
import { presentable, run } from './execute.ts';
import { stream } from './stream.ts';

/** An event of a subscription, as its source gives it: the root value of the event's own execution. */
export interface Delivery {
  /** The context of this event alone: its viewer was looked up for it, its loaders are fresh. */
  context: Context;
  /** Set by a resolver that finds that there is nothing to tell after all: the event is left out. */
  withdrawn?: boolean;
}

/** Answers of a subscription. It ends by throwing an error that is fit to be shown. */
export type Answers = AsyncGenerator<ExecutionResult, void>;

/** Pauses, in milliseconds, before an event is executed once more: a database that restarts is waited for. */
const pauses = [50, 100, 200, 400, 800, 1600, 3200, 6400];

/**
 * Runs a subscription. Unlike the library's own `subscribe`, it executes each event with the context
 * that the event brings, as that of the operation was made once and grows old.
 * @returns the answers; or, where it cannot begin, its errors, fit to be shown
 */
export async function subscribe(args: ExecutionArgs): Promise<Answers | ExecutionResult> {
  const { requestId } = args.contextValue as Context;
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) {
    return { ...source, errors: source.errors?.map((error) => presentable(error, requestId)) };
  }
  const events = source[Symbol.asyncIterator]() as AsyncGenerator<Delivery, void>;
  let over = false;

  async function next(): Promise<IteratorResult<ExecutionResult, void>> {
    for (;;) {
      const { done, value } = await events.next();
      if (done) return { done, value: undefined };
      const result = await executeEvent(args, value, () => over);
      if (!value.withdrawn) return { done: false, value: result };
    }
  }

  return stream(
    () =>
      next().catch((error: unknown) => {
        throw presentable(error, requestId);
      }),
    () => {
      over = true;
      return events.return();
    },
  );
}

/** An event whose execution fails is not passed over: that would be a change that nobody ever told. */
async function executeEvent(args: ExecutionArgs, delivery: Delivery, isOver: () => boolean): Promise<ExecutionResult> {
  for (let attempt = 0; ; attempt += 1) {
    const result = await run({ ...args, rootValue: delivery, contextValue: delivery.context });
    const failure = result.errors?.find(isFailure);
    if (!failure || isOver()) {
      return { ...result, errors: result.errors?.map((error) => presentable(error, delivery.context.requestId)) };
    }
    const pause = pauses[attempt];
    if (pause === undefined) throw failure;
    await delay(pause);
  }
}

const isFailure = ({ originalError }: GraphQLError) =>
  originalError !== undefined && !(originalError instanceof TaskgateError) && !(originalError instanceof GraphQLError);

/**
 * Runs a subscription of the service's own (a validated document) and answers the data of each event.
 * @throws the error for which it cannot begin; while it runs, the one that ends it; made presentable
 */
export async function subscribeOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  variableValues: Record<string, unknown>,
  contextValue: Context,
): Promise<AsyncGenerator<unknown, void>> {
  const answers = await subscribe({ schema, document, variableValues, contextValue });
  if (!(Symbol.asyncIterator in answers)) throw firstError(answers) ?? new Error('a subscription without answers');
  const next = async (): Promise<IteratorResult<unknown, void>> => {
    const { done, value } = await answers.next();
    if (done) return { done, value: undefined };
    const error = firstError(value);
    if (error) throw error;
    return { done: false, value: value.data };
  };
  return stream(next, () => answers.return());
}

const firstError = ({ errors: [error] = [] }: ExecutionResult): Error | undefined => error?.originalError ?? error;
