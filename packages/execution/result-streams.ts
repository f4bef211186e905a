import type { Request, Response } from 'express';
import type { ExecutionResult } from 'graphql';
import { stream, TaskgateError } from '@taskgate/base';
import type { CheckedOperation } from './check-operation.ts';
import type { ExecutionContext } from './context.ts';
import type { BoundArgs, Executor, ResultStream } from './envelop.ts';
import { presentable } from './errors.ts';
import type { YogaExecutor } from './executor.ts';
import { subscribe } from './subscribe.ts';
import { Subscription } from './subscription.ts';
import type { Streamed } from './use-results.ts';

export const resultStreams =
  ({ yoga }: Pick<YogaExecutor, 'yoga'>) =>
  async (request: Request, response: Response, type: string, streamed: Streamed): Promise<void> => {
    // Yoga ignores quality values and some charset parameters.
    request.headers.accept = type;
    await yoga(request as never, response as never, streamed as never);
  };

/** Runs a subscription until its response closes. @returns results, or errors if it cannot start */
export async function subscriptionResults<Context extends ExecutionContext>(
  executor: Executor<Context>,
  args: BoundArgs<Context> & Pick<CheckedOperation, 'cost' | 'bytes'>,
  response: Response,
): Promise<ResultStream | ExecutionResult> {
  const { cost, bytes } = args;
  const results = await subscribe(executor, args, new Subscription({ cost, bytes, hasConnection: true }));
  if (!(Symbol.asyncIterator in results)) return results;
  // Yoga ends only streams that it has begun to send.
  const end = () => void results.return();
  if (response.closed) end();
  else response.once('close', end);
  return withReason(results, response);
}

/** A thrown error is the last event. GOING_AWAY cuts the connection instead, so clients reconnect. */
function withReason(results: ResultStream, response: Response): ResultStream {
  const next = () =>
    results.next().catch((error: unknown): IteratorResult<ExecutionResult, void> => {
      if (error instanceof TaskgateError && error.code === 'GOING_AWAY') {
        // Yoga would leave it open.
        response.destroy();
        return { done: true, value: undefined };
      }
      return { done: false, value: { errors: [presentable(error, '')] } };
    });
  return stream(next, () => results.return());
}
