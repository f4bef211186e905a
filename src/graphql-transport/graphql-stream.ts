import type { Request, Response } from 'express';
import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { stream, TaskgateError } from '@taskgate/base';
import {
  type BoundArgs,
  type CheckedOperation,
  type Executor,
  presentable,
  type ResultStream,
  subscribe,
  Subscription,
  type YogaExecutor,
} from '@taskgate/execution';
import { streamHeaders } from '@taskgate/http';
import type { Context } from '../platform/context.ts';

interface Streamed {
  query: string;
  results: ExecutionResult | AsyncIterable<ExecutionResult>;
}

/** Gives Yoga results to send: as Server-Sent Events or multipart, with keep-alive. */
export const useResults = (): Plugin => ({
  onRequestParse({ serverContext, setRequestParser }) {
    const { query } = serverContext as unknown as Streamed;
    setRequestParser(() => ({ query }));
  },
  onParams({ context, setResult }) {
    setResult((context as unknown as Streamed).results);
  },
  onResponse({ response: { headers } }) {
    // Replaces Yoga's own headers.
    for (const [name, value] of Object.entries(streamHeaders)) headers.set(name, value);
    headers.delete('Content-Encoding');
  },
});

export const resultStreams =
  ({ yoga }: YogaExecutor<Context>) =>
  async (request: Request, response: Response, type: string, streamed: Streamed): Promise<void> => {
    // Yoga ignores quality values and some charset parameters.
    request.headers.accept = type;
    await yoga(request as never, response as never, streamed as never);
  };

type SubscriptionArgs = BoundArgs<Context> & Pick<CheckedOperation, 'cost' | 'bytes'>;

/** Until its response closes. @returns results, or errors if it cannot start */
export async function subscriptionResults(
  executor: Executor<Context>,
  args: SubscriptionArgs,
  response: Response,
): Promise<ResultStream | ExecutionResult> {
  const { cost, bytes } = args;
  const results = await subscribe(executor, args, new Subscription({ cost, bytes, hasConnection: true }));
  if (!(Symbol.asyncIterator in results)) return results;
  // Yoga ends only streams that it has begun to send.
  const end = () => void results.return();
  if (response.closed) end();
  else response.once('close', end);
  return withReason(results);
}

/** A thrown error is the last event. GOING_AWAY cuts the connection instead, so clients reconnect. */
function withReason(results: ResultStream): ResultStream {
  const next = () =>
    results.next().catch((error: unknown): IteratorResult<ExecutionResult, void> => {
      if (error instanceof TaskgateError && error.code === 'GOING_AWAY') throw error;
      return { done: false, value: { errors: [presentable(error, '')] } };
    });
  return stream(next, () => results.return());
}
