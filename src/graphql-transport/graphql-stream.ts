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
  /** The request's text. */
  query: string;
  results: ExecutionResult | AsyncIterable<ExecutionResult>;
}

/** Hands Yoga what the operation gives: it has been checked, and is executed as over every transport. */
const useResults: Plugin<object, Streamed> = {
  onRequestParse({ serverContext: { query }, setRequestParser }) {
    setRequestParser(() => ({ query }));
  },
  onParams({ context: { results }, setResult }) {
    setResult(results);
  },
  onResponse({ response: { headers } }) {
    // These replace headers that Yoga gives to events.
    for (const [name, value] of Object.entries(streamHeaders)) headers.set(name, value);
    headers.delete('Content-Encoding');
  },
};

/**
 * Yoga is for what is streamed: it writes results as Server-Sent Events or multipart, and keeps such a response alive.
 * @returns what sends results of an operation as they come, by the media type
 */
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
    // Yoga's own reading knows no quality values, and leaves out what names its charset in another way.
    request.headers.accept = type;
    await yoga(request as never, response as never, streamed as never);
  };
}

/** Runs a subscription for as long as its response is open. @returns its results; or, where it cannot begin, its errors */
export async function subscriptionResults(
  args: ExecutionArgs,
  { cost, bytes }: Omit<OpenedSubscription, 'hasConnection'>,
  response: Response,
): Promise<ResultStream | ExecutionResult> {
  const results = await subscribe(args, { cost, bytes, hasConnection: true });
  if (!(Symbol.asyncIterator in results)) return results;
  // Yoga ends a stream that it has begun to send; the client may be gone before that.
  const end = () => void results.return();
  if (response.closed) end();
  else response.once('close', end);
  return withReason(results);
}

/**
 * Yoga cuts the connection where a stream throws; here the error is the last event, and then comes the end. But where the service
 * stops, the connection is cut: by that clients know that they are to connect again, as by the end of a WebSocket.
 */
function withReason(results: ResultStream): ResultStream {
  const next = () =>
    results.next().catch((error: unknown): IteratorResult<ExecutionResult, void> => {
      if (error instanceof TaskgateError && error.code === 'GOING_AWAY') throw error;
      return { done: false, value: { errors: [presentable(error, '')] } };
    });
  return stream(next, () => results.return());
}
