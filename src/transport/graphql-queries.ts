import type { RequestHandler, Response } from 'express';
import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import { responseCache, bytesOf, cacheKey } from './response-cache.ts';
import type { Context, Viewer } from '../kernel/context.ts';
import { run } from '../graphql/execute.ts';
import { RateLimitError } from '../kernel/errors.ts';
import { loggedName, noteRequest } from './request-log.ts';
import { callerOf, type RequestLimits } from './request-limits.ts';
import { graphqlRequestOf } from './graphql-request.ts';
import { ownCopy } from '../graphql/document-cache.ts';
import type { CheckCallersOperation } from './counted-operations.ts';
import type { OperationRequest } from '../graphql/check-operation.ts';

/** Media types of an answer in JSON (GraphQL over HTTP, 6.4); the first for clients that take any. */
export const jsonTypes = ['application/json', 'application/graphql-response+json'];

/**
 * Leads every operation through the gate, and answers queries in JSON: from the response cache, or by
 * executing them. All else is left to Yoga, which would take a sixth of the time
 * of a list of tasks: other operations, other forms of answers, and errors.
 */
export function answerQueries(
  schema: GraphQLSchema,
  { checkOperation, limits }: { checkOperation: CheckCallersOperation; limits: RequestLimits },
): RequestHandler {
  return async (request, response, next) => {
    const noted = graphqlRequestOf(request);
    const { parameters, context, type } = noted;
    if (!parameters) return next();
    const caller = callerOf(context, response);
    const isJson = jsonTypes.includes(type);
    const key = isJson && context.viewer ? keyOf(context.viewer, type, parameters) : undefined;
    const cached = key === undefined ? undefined : responseCache.get(key);
    // What is cached has passed the gate, and need not pass it again.
    if (cached) {
      limits.countCached(caller);
      noteRequest(request, { operation: { type: OperationTypeNode.QUERY, name: cached.operationName } });
      return send(response, cached.type, cached.body);
    }

    const checked = checkOperation(parameters, caller);
    noted.checked = checked;
    if (checked.errors) {
      const [error] = checked.errors;
      // Yoga would take longer over it than all that led here.
      if (error instanceof RateLimitError) throw error;
      return next();
    }
    const { document, operation, operationName, variables } = checked;
    noteRequest(request, { operation: { type: operation.operation, name: operationName } });
    if (!isJson || operation.operation !== OperationTypeNode.QUERY) return next();
    const result = await run({ schema, document, operationName, variableValues: variables, contextValue: context });
    if (result.errors) {
      noted.result = result;
      return next();
    }
    const name = loggedName(operationName);
    const answer = {
      type: `${type}; charset=utf-8`,
      body: bytesOf(result),
      operationName: name === undefined ? undefined : ownCopy(name),
    };
    if (key !== undefined && !context.isUncacheable) responseCache.set(key, answer, { ttl: millisecondsLeft(context) });
    send(response, answer.type, answer.body);
  };
}

function send(response: Response, type: string, body: Buffer): void {
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', body.length);
  response.end(body);
}

/** How long an answer holds that no change ends; 0: for ever. */
const millisecondsLeft = ({ validUntil }: Context) =>
  // eslint-disable-next-line taskgate/database-clock -- how long this process keeps it; what is open is PostgreSQL's to say
  validUntil === undefined ? 0 : Math.max(1, Math.floor(validUntil - Date.now()));

/** Variables may be nested too deep to be written down: the gate refuses them, they need no key. */
function keyOf(viewer: Viewer, type: string, request: OperationRequest): string | undefined {
  const { query, variables, operationName, extensions } = request;
  try {
    return cacheKey(viewer, JSON.stringify([type, query, variables, operationName, extensions]));
  } catch {
    return undefined;
  }
}
