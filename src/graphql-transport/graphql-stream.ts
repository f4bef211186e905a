import type { Request, Response } from 'express';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { presentable } from '../graphql/errors.ts';
import { type ResultStream, subscribe } from '../graphql/subscribe.ts';
import type { OpenedSubscription } from '../graphql/subscription-limits.ts';
import { streamHeaders } from '../http/streamed-response.ts';
import { TaskgateError } from '../kernel/errors.ts';
import { stream } from '../kernel/stream.ts';

interface Streamed {
  query: string;
  results: ExecutionResult | AsyncIterable<ExecutionResult>;
}

const useResults: Plugin<object, Streamed> = {
  onRequestParse({ serverContext: { query }, setRequestParser }) {
    setRequestParser(() => ({ query }));
  },
  onParams({ context: { results }, setResult }) {
    setResult(results);
  },
  onResponse({ response: { headers } }) {
    // Replaces Yoga's own headers.
    for (const [name, value] of Object.entries(streamHeaders)) headers.set(name, value);
    headers.delete('Content-Encoding');
  },
};

/** Yoga serves only streams: Server-Sent Events or multipart, with keep-alive. */
export function resultStreams() {
  const yoga = createYoga<Streamed>({
    cors: false,
    logging: false,
    landingPage: false,
    graphiql: false,
    maskedErrors: false,
    maxRequestBodySize: false,
    plugins: [useResults],
  });
  return async (request: Request, response: Response, type: string, streamed: Streamed): Promise<void> => {
    // Yoga ignores quality values and some charset parameters.
    request.headers.accept = type;
    await yoga(request as never, response as never, streamed as never);
  };
}

/** Until its response closes. @returns results, or errors if it cannot start */
export async function subscriptionResults(
  args: ExecutionArgs,
  { cost, bytes }: Omit<OpenedSubscription, 'hasConnection'>,
  response: Response,
): Promise<ResultStream | ExecutionResult> {
  const results = await subscribe(args, { cost, bytes, hasConnection: true });
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
