import type { Request, RequestHandler, Response } from 'express';
import {
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  OperationTypeNode,
} from 'graphql';
import type { CheckedOperation, OperationRequest, RefusedOperation } from '../graphql/check-operation.ts';
import { ownCopy } from '../graphql/document-cache.ts';
import { presentable } from '../graphql/errors.ts';
import { run } from '../graphql/execute.ts';
import type { Context, Viewer } from '../kernel/context.ts';
import { RateLimitError } from '../kernel/errors.ts';
import type { CheckCallersOperation } from './counted-operations.ts';
import { headersOf, HttpError, statusOf } from '../http/error-response.ts';
import { batchAnswers } from './graphql-batch.ts';
import { readOperationRequest } from './graphql-body.ts';
import { resultStreams, subscriptionResults } from './graphql-stream.ts';
import { headersOfKey, keyOfOperation, runOnce, sayOperation, sayReplayed } from '../http/idempotency.ts';
import {
  acceptedOf,
  eventStream,
  form,
  graphqlResponse,
  graphqlResponseTypes,
  graphqlStreamTypes,
  json,
} from '../http/media-types.ts';
import type { RequestContexts } from '../http/request-contexts.ts';
import { callerOf, type RequestLimits } from '../http/request-limits.ts';
import { loggedName, noteRequest } from '../http/request-log.ts';
import { bytesOf, type CachedResponse, cacheKey, cacheResponse, sendFinished } from '../http/response-cache.ts';

export interface GraphqlOptions {
  schema: GraphQLSchema;
  checkOperation: CheckCallersOperation;
  limits: RequestLimits;
  contexts: RequestContexts;
}

const noOperation = (method: string) =>
  method === 'POST'
    ? new HttpError(415, 'Content-Type', `must be ${json} or, with files, ${form}`)
    : new HttpError(405, '', 'GraphQL only supports GET and POST requests.', { Allow: 'GET, POST' });

/** Operations over HTTP and SSE: GraphQL over HTTP, multipart uploads, persisted operations. */
export function graphqlOverHttp(options: GraphqlOptions): RequestHandler {
  const { contexts } = options;
  const answer = operationAnswers(options);
  const answerBatch = batchAnswers(options);
  return async (request, response) => {
    const type = acceptedOf(request, graphqlResponseTypes) ?? acceptedOf(request, graphqlStreamTypes);
    if (!type) throw new HttpError(406, 'Accept', `must allow ${graphqlResponse}`);
    const hasSession = contexts.hasSession(request);
    const { body: parameters, context } = await contexts.afterBody(request, (receive) =>
      readOperationRequest(request, { receive, hasSession }),
    );
    if (!parameters) throw noOperation(request.method);
    response.setHeader('Cache-Control', 'no-store');
    const exchange = { request, response, type, context };
    if (!isBatch(parameters)) return answer({ ...exchange, parameters });
    if (!isJson(type)) throw new HttpError(406, 'Accept', `must allow ${json} for several operations`);
    await answerBatch({ ...exchange, operations: parameters });
  };
}

/** A request that has been read, and what it takes to answer it. */
interface Exchange {
  request: Request;
  response: Response;
  /** Media type of the answer, unless it is a subscription's. */
  type: string;
  context: Context;
  parameters: OperationRequest;
}

/** Answers requests: from the response cache, or by having the operation checked and executed. */
function operationAnswers({ schema, checkOperation, limits }: GraphqlOptions) {
  const stream = resultStreams();

  /** JSON as such is sent at once; all else is Yoga's. */
  async function send({ request, response, type, parameters }: Exchange, result: ExecutionResult, status = 200) {
    response.status(status);
    for (const error of result.errors ?? []) response.set(headersOf(error));
    if (isJson(type)) return sendFinished(response, finished(type, result));
    // Yoga takes the status from there, and leaves it out of what it sends.
    const results = { ...result, extensions: { http: { status } } };
    await stream(request, response, type, { query: textOf(parameters), results });
  }

  /** Nothing was executed: the status says why. */
  const refuse = (exchange: Exchange, ...errors: readonly GraphQLError[]) =>
    send(exchange, { errors }, Math.max(...errors.map(statusOf)));

  async function execute(exchange: Exchange, checked: CheckedOperation, key: string | undefined): Promise<void> {
    const { response, type, context } = exchange;
    const { errors: thrown, ...result } = await resultOf(exchange, { schema, ...checked, contextValue: context });
    sayOperation(response, result.extensions?.['operationId']);
    if (thrown) {
      const errors = thrown.map((error) => presentable(error, context.requestId));
      return 'data' in result ? send(exchange, { errors, ...result }) : refuse(exchange, ...errors);
    }
    if (key === undefined) return send(exchange, result);
    const answer = finished(type, result, checked.operationName);
    cacheResponse(key, answer, context);
    sendFinished(response, answer);
  }

  /** What a mutation gives under an idempotency key is its first result. */
  async function resultOf(
    { request, response, context, parameters }: Exchange,
    args: CheckedOperation & ExecutionArgs,
  ) {
    const source = { headers: headersOfKey(request), extensions: parameters.extensions };
    const idempotencyKey = context.viewer ? keyOfOperation(schema, args, source) : undefined;
    if (idempotencyKey === undefined) return run(args);
    const { result, isReplayed } = await runOnce(args, idempotencyKey);
    sayReplayed(response, isReplayed);
    return result;
  }

  async function subscribe(exchange: Exchange, checked: CheckedOperation): Promise<void> {
    const { request, response, context, parameters } = exchange;
    const type = acceptedOf(request, [eventStream]);
    if (!type) return refuse(exchange, new HttpError(406, 'Accept', `must allow ${eventStream} for a subscription`));
    const results = await subscriptionResults({ schema, ...checked, contextValue: context }, checked, response);
    if (!(Symbol.asyncIterator in results)) return refuse({ ...exchange, type }, ...(results.errors ?? []));
    await stream(request, response, type, { query: textOf(parameters), results });
  }

  return async (exchange: Exchange): Promise<void> => {
    const { request, response, type, context, parameters } = exchange;
    const caller = callerOf(context, response);
    const key = isJson(type) && context.viewer ? keyOf(context.viewer, type, parameters) : undefined;
    const cached = key === undefined ? undefined : context.services.responses.get(key);
    // What is cached has been checked, and need not be again.
    if (cached) {
      limits.countCached(caller);
      noteRequest(request, { operation: { type: OperationTypeNode.QUERY, name: cached.operationName } });
      return sendFinished(response, cached);
    }
    const checked = checkOperation(parameters, caller);
    if (checked.errors) {
      const [error] = checked.errors;
      if (error instanceof RateLimitError) throw error;
      return send(exchange, { errors: checked.errors }, statusOfRefusal(checked, type));
    }
    const { operation: kind } = checked.operation;
    noteRequest(request, { operation: { type: kind, name: checked.operationName } });
    if (kind === OperationTypeNode.SUBSCRIPTION) return subscribe(exchange, checked);
    if (kind === OperationTypeNode.MUTATION && request.method === 'GET') return refuse(exchange, mutationByGet());
    await execute(exchange, checked, kind === OperationTypeNode.QUERY ? key : undefined);
  };
}

const isBatch = (parameters: OperationRequest | readonly unknown[]): parameters is readonly unknown[] =>
  Array.isArray(parameters);

const isJson = (type: string) => graphqlResponseTypes.includes(type);

function finished(type: string, result: ExecutionResult, name?: string): CachedResponse {
  const operationName = loggedName(name);
  return {
    type: `${type}; charset=utf-8`,
    body: bytesOf(result),
    operationName: operationName === undefined ? undefined : ownCopy(operationName),
  };
}

const textOf = ({ query }: OperationRequest): string => (typeof query === 'string' ? query : '');

/** Variables may be nested too deep to be written down: the check refuses them, they need no key. */
function keyOf(viewer: Viewer, type: string, request: OperationRequest): string | undefined {
  const { query, variables, operationName, extensions } = request;
  try {
    return cacheKey(viewer, JSON.stringify([type, query, variables, operationName, extensions]));
  } catch {
    return undefined;
  }
}

/** What is wrong with a document is told by 200, unless the media type is GraphQL's own (GraphQL over HTTP, 6.4.1 and 6.4.2). */
function statusOfRefusal({ errors, malformed }: RefusedOperation, type: string): number {
  const isOfDocument = ({ extensions }: GraphQLError) => extensions['code'] === 'VALIDATION_FAILED' && !malformed;
  const hidden = type === json || type === eventStream ? errors.filter(isOfDocument) : [];
  return Math.max(200, ...errors.filter((error) => !hidden.includes(error)).map(statusOf));
}

const mutationByGet = () =>
  new HttpError(405, '', 'Can only perform a mutation operation from a POST request.', { Allow: 'POST' });
