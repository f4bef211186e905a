import { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { form, json, jsonType } from '../src/http/media-types.ts';
import {
  bytesOf,
  cacheKey,
  cacheResponse,
  sendCached,
  sendFinished,
  sendNotModified,
} from '../src/http/response-cache.ts';
import { answerOnce, headersOfKey, idempotencyKeyOf, sayOperation, sendOnce } from '../src/http/idempotency.ts';
import { AnswerTooLarge, smallAnswerBytes } from '../src/kernel/budget.ts';
import { type Context, signedIn } from '../src/kernel/context.ts';
import { noBody, type RequestContexts } from '../src/http/request-contexts.ts';
import { hasBody } from '../src/http/http-server.ts';
import { type InputProblem, invalid, notFound, unauthenticated, ValidationError } from '../src/kernel/errors.ts';
import { generalProblems, maxFileBytes, parse } from '../src/kernel/input.ts';
import { fileOf, formParser, jsonParser, type ReceiveBody } from '../src/http/request-body.ts';
import {
  bindOperations,
  hasResource,
  keepsAnswers,
  type Operation,
  requireRightsForRow,
  streamsOf,
} from './operation.ts';
import type { Caller, Route } from './route.ts';
import { sendStreamed } from '../src/http/streamed-response.ts';

const jsonBody = jsonParser([json]);
const formBody = formParser({ fileSize: maxFileBytes, fields: 10, fieldSize: 64 * 1024 }, 'image');

/** Serves the rows: one handler for all of them. */
export function restRouter(schema: GraphQLSchema, routes: readonly Route[], contexts: RequestContexts): Router {
  const operation = bindOperations(schema, routes);
  const router = Router({ caseSensitive: true });
  for (const row of routes) router[row.method](row.path, handler(row, schema, operation, contexts));
  return router.use(refuseStrangers(contexts));
}

/** Express reads a path before the row is asked: what it finds malformed there is told to those with a session alone. */
const refuseStrangers =
  (contexts: RequestContexts): ErrorRequestHandler =>
  (error, request, _response, next) => {
    next(error instanceof URIError && !contexts.hasSession(request) ? unauthenticated() : error);
  };

function handler(row: Route, schema: GraphQLSchema, operation: Operation, contexts: RequestContexts): RequestHandler {
  const isKept = keepsAnswers(schema, row);
  return async (request, response) => {
    // 401 goes first: without a session no body is waited for.
    if (row.auth === 'session' && !contexts.hasSession(request)) throw unauthenticated();
    const { body: read, context } = await contexts.afterBody(request, (receive) => settledBody(row, request, receive));
    const caller: Caller = { inboxId: context.viewer?.inboxId ?? '' };
    if (row.auth === 'session') signedIn(context);
    requireRightsForRow(schema, row, context);
    // An id that is no text names no resource: 400, not the 404 that goes before.
    const problems = generalProblems(request.params);
    if (problems.length > 0) throw new ValidationError(problems);
    const key = row.method === 'get' && context.viewer ? cacheKey(context.viewer, request.originalUrl) : undefined;
    if (key !== undefined && sendCached(request, response, context.services.responses, key)) return;
    try {
      const input = parse(row.input, inputOf(row, request, read)) as never;
      const bodyOf = async (own: Context) => {
        const data = await dataOf(row, operation, input, own);
        return data === undefined ? undefined : bytesOf(row.reply(data as never, caller, input));
      };
      const idempotencyKey = isKept ? idempotencyKeyOf({ headers: headersOfKey(request) }) : undefined;
      if (idempotencyKey !== undefined) {
        const parts = ['rest', request.method, request.originalUrl, read];
        const asked = { key: idempotencyKey, parts, writes: 1 };
        const answer = async (own: Context) => finished(row, await bodyOf(own));
        return sendOnce(response, await answerOnce(context, asked, answer));
      }
      const body = await bodyOf(context);
      sayOperation(response, context.viewer?.operations?.at(-1));
      if (key !== undefined && body) cacheResponse(key, { type: jsonType, body }, context);
      if (row.method === 'get' && sendNotModified(request, response, key)) return;
      if (body) return sendFinished(response.status(row.status ?? 200), { type: jsonType, body });
      if (!row.stream) throw new Error('an answer without a body');
      const { sessionId } = signedIn(context);
      const watchSession = (cut: () => void) => contexts.watchSession(sessionId, cut);
      const send = (text: AsyncGenerator<string>) => sendStreamed(response, text, watchSession);
      await row.stream(streamsOf(schema, context, send), input, caller);
    } catch (error) {
      // 404 of the path's resource goes before 400 of body and query.
      if (isBadRequest(error)) await requireResource(row, request, operation, context);
      throw renamed(error, row.names);
    }
  };
}

/** The answer of a write, as it is kept. */
function finished({ status }: Route, body: Buffer | undefined) {
  if (!body) throw new Error('an answer without a body');
  return { status: status ?? 200, contentType: jsonType, body };
}

/** What the operation gives; undefined where that is a list too large to be made as a whole. */
async function dataOf(row: Route, operation: Operation, input: never, context: Context): Promise<unknown> {
  if (row.stream) context.maxAnswerBytes = smallAnswerBytes;
  try {
    const { document } = row.alternative?.when(input) ? row.alternative : row;
    return await operation(document, row.variables(input), context);
  } catch (error) {
    if (row.stream && error instanceof AnswerTooLarge) return undefined;
    throw error;
  }
}

/** Problems of the core under the names of the contract: `input.sectionId` becomes `projectSectionId`. */
function renamed(error: unknown, names: Record<string, string> = {}): unknown {
  if (!(error instanceof ValidationError)) return error;
  const rename = ({ path, message }: InputProblem) => {
    const [head = '', ...rest] = path.replace(/^(input|filter|body|query|path)\./, '').split('.');
    return { path: [names[head] ?? head, ...rest].join('.'), message };
  };
  return new ValidationError(error.problems.map(rename));
}

/** Errors of the core's validation, and those of reading the body, which carry a status of their own. */
const isBadRequest = (error: unknown) =>
  error instanceof ValidationError || (error instanceof Error && 'status' in error);

async function requireResource({ resource }: Route, { params }: Request, operation: Operation, context: Context) {
  if (!resource) return;
  const path = params as Record<string, string>;
  const exists = await hasResource(resource, path, (document, variables) => operation(document, variables, context));
  if (!exists) throw notFound('Resource');
}

/** The body, or why it could not be read: which is told after what the path names has been looked for. */
async function settledBody(row: Route, request: Request, receive: ReceiveBody): Promise<PromiseSettledResult<unknown>> {
  const reading = row.input.shape.body ? readBody(row, request, receive) : noBody();
  const [settled] = await Promise.allSettled([reading]);
  return settled;
}

/** All that the request brings: what the row has no shape for has to be text as well. @throws why the body could not be read */
function inputOf(row: Route, { params: path, query }: Request, read: PromiseSettledResult<unknown>) {
  if (read.status === 'rejected') throw read.reason;
  return { path, query, ...(row.input.shape.body && { body: read.value }) };
}

async function readBody(row: Route, request: Request, receive: ReceiveBody): Promise<unknown> {
  const type = row.body === 'multipart' ? form : json;
  if (hasBody(request) && !request.is(type)) throw invalid('Content-Type', `must be ${type}`);
  await receive(row.body === 'multipart' ? formBody : jsonBody);
  // None at all is an empty object; `null` is a body, and not one.
  const body: unknown = request.body === undefined ? {} : request.body;
  if (row.body !== 'multipart') return body;
  const { file } = request;
  return { ...(body as object), ...(file && { image: fileOf(file) }) };
}
