import { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import type { DocumentNode } from 'graphql';
import { type InputProblem, invalid, requireNone, unauthenticated, ValidationError } from '@taskgate/base';
import { fileOf, form, formParser, hasBody, json, jsonParser, type ReceiveBody } from '@taskgate/http';
import { smallResponseBytes } from '@taskgate/work';
import { noBody, type RequestContexts, respondWithJson, sendText } from '../src/door/http.ts';
import {
  type Context,
  type Executor,
  type Operation,
  operationOn,
  requireFitting,
  requireRightsOf,
  requireRoleIn,
  signedIn,
  storesResponses,
  streamsOf,
} from '../src/door/index.ts';
import type { SyncedKind } from '../src/platform/entities.ts';
import { forbidden, isForbidden, notFound } from '../src/platform/errors.ts';
import { generalProblems, maxFileBytes, parse } from '../src/platform/input.ts';
import { sendEvents, unlessEvents } from './event-stream.ts';
import { AuthorOfPath, hasResource, isAuthor, needsRole, ResourceOfPath, WebhookOfPath } from './resource.ts';
import { type BareRoute, callerOf, type Core, type Route, type Row } from './route.ts';

const jsonBody = jsonParser([json]);
const formBody = formParser({ fileSize: maxFileBytes, fields: 10, fieldSize: 64 * 1024 }, 'image');

/** @throws if a document of a row does not fit the schema */
export function restRouter(executor: Executor, rows: readonly (Row | BareRoute)[], contexts: RequestContexts): Router {
  const core = { executor, contexts };
  const [open, protectedRows] = [Router({ caseSensitive: true }), Router({ caseSensitive: true })];
  requireFitting(executor.schema, 'the look-up of resources', ResourceOfPath, AuthorOfPath, WebhookOfPath);
  for (const row of rows)
    (row.auth === 'none' ? open : protectedRows)[row.method](row.path, row.raw ? row.raw(core) : handler(row, core));
  return Router().use(open, protectedRows.use(refuseStrangers(contexts)));
}

/** Express parses paths first. Strangers do not learn of malformed ones. */
const refuseStrangers =
  (contexts: RequestContexts): ErrorRequestHandler =>
  (error, request, _response, next) => {
    next(error instanceof URIError && !contexts.hasSession(request) ? unauthenticated() : error);
  };

function handler(row: Route, core: Core): RequestHandler {
  const { stream, document, alternative, events } = row;
  const { executor, contexts } = core;
  const { schema } = executor;
  requireFitting(schema, `${row.method.toUpperCase()} ${row.path}`, document, alternative?.document);
  const operation = operationOn(executor);
  const isStored = storesResponses(schema, document);
  const isRead = row.method === 'get';
  const respond: RequestHandler = async (request, response) => {
    // Before the body is read.
    if (row.auth === 'session' && !contexts.hasSession(request)) throw unauthenticated();
    const { body: read, context } = await contexts.afterBody(request, (receive) => settledBody(row, request, receive));
    const caller = callerOf(context.viewer);
    if (row.auth === 'session') signedIn(context);
    requireRightsOf(schema, document, context);
    const { viewer } = context;
    const requireRole = async (kind: SyncedKind, id: string) => {
      if (viewer) await requireRoleIn(schema, document, viewer, kind, id);
    };
    // A malformed id gives 400, not the resource's 404.
    requireNone(generalProblems(request.params));
    const prepare = () => {
      if (read.status === 'rejected') throw read.reason;
      const { params: path, query } = request;
      const input = parse(row.input, { path, query, ...(row.input.shape.body && { body: read.value }) }) as never;
      return {
        body: read,
        run: async (own: Context) => {
          if (stream) own.maxResponseBytes = smallResponseBytes;
          const chosen = alternative?.when(input) ? alternative.document : document;
          return row.reply((await operation(chosen, row.variables(input, caller), own)) as never, caller, input);
        },
        stream:
          stream &&
          (() => {
            const send = (text: AsyncGenerator<string>) => sendText(contexts, { response, context }, text);
            return stream(streamsOf(schema, context, send), input, caller);
          }),
      };
    };
    try {
      await respondWithJson({ request, response, context }, { status: row.status ?? 200, isRead, isStored, prepare });
    } catch (error) {
      // The 404 and 403 of the path's resource precede the 400 of body and query, and the 403 of other ids.
      if (isBadRequest(error) || isForbidden(error))
        await requireResource(row, request, operation, context, requireRole);
      throw renamed(error, row.names);
    }
  };
  return events ? unlessEvents(respond, sendEvents(core, events)) : respond;
}

/** To contract names, such as `input.sectionId` to `projectSectionId`, and `input` to `body`. */
function renamed(error: unknown, names: Record<string, string> = {}): unknown {
  if (!(error instanceof ValidationError)) return error;
  const rename = ({ path, message }: InputProblem) => {
    const ofRequest = path.replace(/^input$/, 'body').replace(/^(input|filter|body|query|path)\./, '');
    const [head = '', ...rest] = ofRequest.split('.');
    return { path: [names[head] ?? head, ...rest].filter(Boolean).join('.') || head, message };
  };
  return new ValidationError(error.problems.map(rename));
}

/** Parser errors have a status. */
const isBadRequest = (error: unknown) =>
  error instanceof ValidationError || (error instanceof Error && 'status' in error);

async function requireResource(
  { resource, authorOnly }: Route,
  { params }: Request,
  operation: Operation,
  context: Context,
  requireRole: (kind: SyncedKind, id: string) => Promise<void>,
) {
  if (!resource) return;
  const path = params as Record<string, string>;
  const run = (document: DocumentNode, variables: { id: string }) => operation(document, variables, context);
  if (!(await hasResource(resource, path, run))) throw notFound('Resource');
  if (needsRole(resource)) await requireRole(resource, path['sectionId'] ?? path['id'] ?? '');
  if (authorOnly !== undefined && !(await isAuthor(path, run))) throw forbidden(authorOnly);
}

/** The error of the body waits, because the resource's 404 comes first. */
async function settledBody(row: Route, request: Request, receive: ReceiveBody): Promise<PromiseSettledResult<unknown>> {
  const reading = row.input.shape.body ? readBody(row, request, receive) : noBody();
  const [settled] = await Promise.allSettled([reading]);
  return settled;
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
