import type { RequestHandler, Response } from 'express';
import { type ExecutionResult, type GraphQLError, OperationTypeNode } from 'graphql';
import {
  type CheckedOperation,
  type OperationRequest,
  presentable,
  type ReadOperation,
  type RefusedOperation,
  resultStreams,
  subscriptionResults,
  type YogaExecutor,
} from '@taskgate/execution';
import {
  acceptedOf,
  eventStream,
  form,
  graphqlResponse,
  graphqlResponseTypes,
  graphqlStreamTypes,
  json,
} from '@taskgate/http';
import { RateLimitError } from '@taskgate/limits';
import { type Context, notCached } from '../platform/context.ts';
import type { CheckCallersOperation } from './counted-operations.ts';
import { headersOf, HttpError, statusOf } from '../http/error-response.ts';
import { batchResponses } from './graphql-batch.ts';
import { type Exchange, respond } from '../http/exchange.ts';
import { FailedOperation, keyedMutation, keyOfOperation, resultBytes, setOperationId } from '../http/idempotency.ts';
import type { RequestContexts } from '../http/request-contexts.ts';
import { callerOf, type RequestLimits } from '../http/request-limits.ts';
import { noteRequest } from '../http/request-observation.ts';
import { applyFence, fenceOfOperation, headersOfFence, headersOfKey } from '../http/request-values.ts';
import { bytesOf, type CachedResponse, sendFinished } from '../http/response-cache.ts';

interface GraphqlOptions {
  executor: YogaExecutor<Context>;
  checkOperation: CheckCallersOperation;
  limits: RequestLimits;
  contexts: RequestContexts;
  readOperation: ReadOperation;
}

const noOperation = (method: string) =>
  method === 'POST'
    ? new HttpError(415, 'Content-Type', `must be ${json} or, with files, ${form}`)
    : new HttpError(405, '', 'GraphQL only supports GET and POST requests.', { Allow: 'GET, POST' });

export function graphqlOverHttp(options: GraphqlOptions): RequestHandler {
  const { contexts, readOperation } = options;
  const execute = operationResponses(options);
  const executeBatch = batchResponses(options);
  return async (request, response) => {
    const type = acceptedOf(request, graphqlResponseTypes) ?? acceptedOf(request, graphqlStreamTypes);
    if (!type) throw new HttpError(406, 'Accept', `must allow ${graphqlResponse}`);
    const hasSession = contexts.hasSession(request);
    const { body: parameters, context } = await contexts.afterBody(request, (receive) =>
      readOperation(request, { receive, hasSession }),
    );
    if (!parameters) throw noOperation(request.method);
    response.setHeader('Cache-Control', 'no-store');
    const exchange = { request, response, type, context };
    if (!isBatch(parameters)) return execute({ ...exchange, parameters });
    if (!isJson(type)) throw new HttpError(406, 'Accept', `must allow ${json} for several operations`);
    await executeBatch({ ...exchange, operations: parameters });
  };
}

interface GraphqlExchange extends Exchange {
  /** Not used by subscriptions. */
  type: string;
  parameters: OperationRequest;
}

function operationResponses({ executor, checkOperation, limits }: GraphqlOptions) {
  const stream = resultStreams(executor);

  async function send({ request, response, type, parameters }: GraphqlExchange, result: ExecutionResult, status = 200) {
    response.status(status);
    for (const error of result.errors ?? []) response.set(headersOf(error));
    if (isJson(type)) return sendJson(response, type, bytesOf(result));
    // Yoga reads the status from here.
    const results = { ...result, extensions: { http: { status } } };
    await stream(request, response, type, { query: textOf(parameters), results });
  }

  const refuse = (exchange: GraphqlExchange, ...errors: readonly GraphQLError[]) =>
    send(exchange, { errors }, Math.max(...errors.map(statusOf)));

  async function sendFailed(exchange: GraphqlExchange, { errors: thrown = [], ...result }: ExecutionResult) {
    setOperationId(exchange.response, result.extensions?.['operationId']);
    const errors = thrown.map((error) => presentable(error, exchange.context.requestId));
    await ('data' in result ? send(exchange, { errors, ...result }) : refuse(exchange, ...errors));
  }

  async function subscribe(exchange: GraphqlExchange, checked: CheckedOperation): Promise<void> {
    const { request, response, context, parameters } = exchange;
    const type = acceptedOf(request, [eventStream]);
    if (!type) return refuse(exchange, new HttpError(406, 'Accept', `must allow ${eventStream} for a subscription`));
    const results = await subscriptionResults(executor, { ...checked, contextValue: context }, response);
    if (!(Symbol.asyncIterator in results)) return refuse({ ...exchange, type }, ...(results.errors ?? []));
    await stream(request, response, type, { query: textOf(parameters), results });
  }

  return async (exchange: GraphqlExchange): Promise<void> => {
    const { request, response, type, context, parameters } = exchange;
    const caller = callerOf(context, response);
    const note = (kind: OperationTypeNode, name: string | undefined) =>
      noteRequest(request, { operation: { type: kind, name } });
    const prepare = async () => {
      const checked = checkOperation(parameters, caller);
      if (checked.errors) {
        const { errors } = checked;
        if (errors[0] instanceof RateLimitError) throw errors[0];
        return void (await send(exchange, { errors }, statusOfRefusal(checked, type)));
      }
      const { operationName } = checked;
      const kind = checked.operation.operation;
      note(kind, operationName);
      if (kind === OperationTypeNode.SUBSCRIPTION) return void (await subscribe(exchange, checked));
      if (kind === OperationTypeNode.MUTATION) {
        if (request.method === 'GET') return void (await refuse(exchange, mutationByGet()));
        notCached(context);
      }
      const { schema } = executor;
      const { extensions } = parameters;
      applyFence(context, fenceOfOperation(schema, checked, { headers: headersOfFence(request), extensions }));
      const args = { ...checked, contextValue: context };
      const source = { headers: headersOfKey(request), extensions };
      const key = context.viewer ? keyOfOperation(schema, checked, source) : undefined;
      const keyed = key === undefined ? undefined : keyedMutation(executor, args, key);
      return { keyed, run: resultBytes(executor, args), operationName };
    };
    const steps = {
      read: isJson(type) ? textOfRead(type, parameters) : undefined,
      isConditional: false,
      onCached({ operationName }: CachedResponse) {
        limits.countCached(caller);
        note(OperationTypeNode.QUERY, operationName);
      },
      prepare,
      send: (body: Buffer) =>
        isJson(type)
          ? sendJson(response, type, body)
          : send(exchange, JSON.parse(body.toString('utf8')) as ExecutionResult),
    };
    await respond(exchange, steps).catch((error: unknown) => {
      if (error instanceof FailedOperation) return sendFailed(exchange, error.result);
      throw error;
    });
  };
}

const isBatch = (parameters: OperationRequest | readonly unknown[]): parameters is readonly unknown[] =>
  Array.isArray(parameters);

const isJson = (type: string) => graphqlResponseTypes.includes(type);

const sendJson = (response: Response, type: string, body: Buffer) =>
  sendFinished(response, { type: `${type}; charset=utf-8`, body });

const textOf = ({ query }: OperationRequest): string => (typeof query === 'string' ? query : '');

/** Undefined for mutations, and for variables nested too deep to serialize, which the check refuses. */
function textOfRead(type: string, { query, variables, operationName, extensions }: OperationRequest) {
  if (typeof query === 'string' && /^\s*mutation\b/.test(query)) return undefined;
  try {
    return JSON.stringify([type, query, variables, operationName, extensions]);
  } catch {
    return undefined;
  }
}

/** Document errors have status 200, except with GraphQL's own media type (GraphQL over HTTP, 6.4). */
function statusOfRefusal({ errors, malformed }: RefusedOperation, type: string): number {
  const isOfDocument = ({ extensions }: GraphQLError) => extensions['code'] === 'VALIDATION_FAILED' && !malformed;
  const hidden = type === json || type === eventStream ? errors.filter(isOfDocument) : [];
  return Math.max(200, ...errors.filter((error) => !hidden.includes(error)).map(statusOf));
}

const mutationByGet = () =>
  new HttpError(405, '', 'Can only perform a mutation operation from a POST request.', { Allow: 'POST' });
