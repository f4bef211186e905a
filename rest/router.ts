import { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { type InputProblem, invalid, requireNone, unauthenticated, ValidationError } from '@taskgate/base';
import {
  fileOf,
  form,
  formParser,
  hasBody,
  json,
  jsonParser,
  jsonType,
  type ReceiveBody,
  sendStreamed,
} from '@taskgate/http';
import { smallResponseBytes } from '@taskgate/work';
import { respond } from '../src/http/exchange.ts';
import { headersOfKey, idempotencyKeyOf } from '../src/http/idempotency.ts';
import { bytesOf, sendFinished } from '../src/http/response-cache.ts';
import { type Context, signedIn } from '../src/platform/context.ts';
import { noBody, type RequestContexts } from '../src/http/request-contexts.ts';
import { notFound } from '../src/platform/errors.ts';
import { generalProblems, maxFileBytes, parse } from '../src/platform/input.ts';
import {
  bindOperations,
  type Executor,
  hasResource,
  type Operation,
  requireRightsForRow,
  storesResponses,
  streamsOf,
} from './operation.ts';
import type { RestCaller, Route } from './route.ts';

const jsonBody = jsonParser([json]);
const formBody = formParser({ fileSize: maxFileBytes, fields: 10, fieldSize: 64 * 1024 }, 'image');

export function restRouter(executor: Executor<Context>, routes: readonly Route[], contexts: RequestContexts): Router {
  const operation = bindOperations(executor, routes);
  const router = Router({ caseSensitive: true });
  for (const row of routes) router[row.method](row.path, handler(row, executor.schema, operation, contexts));
  return router.use(refuseStrangers(contexts));
}

/** Express parses paths first. Strangers do not learn of malformed ones. */
const refuseStrangers =
  (contexts: RequestContexts): ErrorRequestHandler =>
  (error, request, _response, next) => {
    next(error instanceof URIError && !contexts.hasSession(request) ? unauthenticated() : error);
  };

function handler(row: Route, schema: GraphQLSchema, operation: Operation, contexts: RequestContexts): RequestHandler {
  const isStored = storesResponses(schema, row);
  const isRead = row.method === 'get';
  const { stream } = row;
  return async (request, response) => {
    // Before the body is read.
    if (row.auth === 'session' && !contexts.hasSession(request)) throw unauthenticated();
    const { body: read, context } = await contexts.afterBody(request, (receive) => settledBody(row, request, receive));
    const caller: RestCaller = { inboxId: context.viewer?.inboxId ?? '' };
    if (row.auth === 'session') signedIn(context);
    requireRightsForRow(schema, row, context);
    // A malformed id gives 400, not the resource's 404.
    requireNone(generalProblems(request.params));
    const prepare = () => {
      const input = parse(row.input, inputOf(row, request, read)) as never;
      const key = isStored ? idempotencyKeyOf({ headers: headersOfKey(request) }) : undefined;
      return {
        keyed:
          key === undefined
            ? undefined
            : { key, parts: ['rest', request.method, request.originalUrl, read], writes: 1 },
        run: async (own: Context) => {
          if (stream) own.maxResponseBytes = smallResponseBytes;
          const { document } = row.alternative?.when(input) ? row.alternative : row;
          return bytesOf(row.reply((await operation(document, row.variables(input), own)) as never, caller, input));
        },
        stream:
          stream &&
          (() => {
            const watchSession = (cut: () => void) => contexts.watchSession(signedIn(context).sessionId, cut);
            const send = (text: AsyncGenerator<string>) => sendStreamed(response, text, watchSession);
            return stream(streamsOf(schema, context, send), input, caller);
          }),
      };
    };
    const send = (body: Buffer) => sendFinished(response.status(row.status ?? 200), { type: jsonType, body });
    try {
      const steps = { read: isRead ? request.originalUrl : undefined, isConditional: isRead, prepare, send };
      await respond({ request, response, context }, steps);
    } catch (error) {
      // The resource's 404 precedes the 400 of body and query.
      if (isBadRequest(error)) await requireResource(row, request, operation, context);
      throw renamed(error, row.names);
    }
  };
}

/** To contract names, such as `input.sectionId` to `projectSectionId`. */
function renamed(error: unknown, names: Record<string, string> = {}): unknown {
  if (!(error instanceof ValidationError)) return error;
  const rename = ({ path, message }: InputProblem) => {
    const [head = '', ...rest] = path.replace(/^(input|filter|body|query|path)\./, '').split('.');
    return { path: [names[head] ?? head, ...rest].join('.'), message };
  };
  return new ValidationError(error.problems.map(rename));
}

/** Parser errors have a status. */
const isBadRequest = (error: unknown) =>
  error instanceof ValidationError || (error instanceof Error && 'status' in error);

async function requireResource({ resource }: Route, { params }: Request, operation: Operation, context: Context) {
  if (!resource) return;
  const path = params as Record<string, string>;
  const exists = await hasResource(resource, path, (document, variables) => operation(document, variables, context));
  if (!exists) throw notFound('Resource');
}

/** The error of the body waits, because the resource's 404 comes first. */
async function settledBody(row: Route, request: Request, receive: ReceiveBody): Promise<PromiseSettledResult<unknown>> {
  const reading = row.input.shape.body ? readBody(row, request, receive) : noBody();
  const [settled] = await Promise.allSettled([reading]);
  return settled;
}

function inputOf(row: Route, { params: path, query }: Request, read: PromiseSettledResult<unknown>) {
  if (read.status === 'rejected') throw read.reason;
  return { path, query, ...(row.input.shape.body && { body: read.value }) };
}

async function readBody(row: Route, request: Request, receive: ReceiveBody): Promise<unknown> {
  const type = row.body === 'multipart' ? form : json;
  if (hasBody(request) && !request.is(type)) throw invalid('Content-Type', `must be ${type}`);
  await receive(row.body === 'multipart' ? formBody : jsonBody);
  // A missing body is an empty object; `null` is invalid.
  const body: unknown = request.body === undefined ? {} : request.body;
  if (row.body !== 'multipart') return body;
  const { file } = request;
  return { ...(body as object), ...(file && { image: fileOf(file) }) };
}
