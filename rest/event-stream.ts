import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { TadaDocumentNode } from 'gql.tada';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { presentable } from '../src/graphql/errors.ts';
import { type Context, signedIn } from '../src/kernel/context.ts';
import { invalid } from '../src/kernel/errors.ts';
import { eventStream } from '../src/http/media-types.ts';
import { noBody, type RequestContexts } from '../src/http/request-contexts.ts';
import { streamHeaders, write } from '../src/http/streamed-response.ts';
import { bindSubscription, costOf, type Operation } from './operation.ts';
import type { RestCaller } from './route.ts';

/** Milliseconds between comments, which show both sides that the connection is alive. */
const keepAlive = 15_000;
/** Milliseconds for which a client may leave the end of the stream unread. */
const lastWait = 30_000;

interface SentEvent {
  /** What a client resumes with. */
  id: string;
  data: unknown;
}

interface EventSource<Data> {
  path: string;
  /** Whether the path is the stream's for requests that accept events alone. */
  isShared?: boolean;
  event: string;
  document: TadaDocumentNode<Data, { after?: string | null }>;
  /** The cursor to begin at where the request brings none. */
  start?: { document: DocumentNode; cursorOf(data: unknown): string };
  toEvent(data: Data, caller: RestCaller): SentEvent;
}

/** Serves a subscription as Server-Sent Events, resumed with `Last-Event-ID` or else `after`. */
export function eventEndpoint<Data>(schema: GraphQLSchema, contexts: RequestContexts, source: EventSource<Data>) {
  const { start, document } = source;
  const cost = costOf(schema, document);
  const operations = bindSubscription(schema, [document, ...(start ? [start.document] : [])]);
  const handler: RequestHandler = async (request, response, next) => {
    if (source.isShared) {
      response.vary('Accept');
      if (!wantsEvents(request)) return next();
    }
    const { context } = await contexts.afterBody(request, noBody);
    const caller: RestCaller = { inboxId: signedIn(context).inboxId ?? '' };
    const headers = { 'Content-Type': eventStream, ...streamHeaders };
    // The same headers and no content (RFC 9110, 9.3.2); a stream would never end.
    if (request.method === 'HEAD') return void response.set(headers).end();
    const after = resumedAt(request) ?? (await startOf(source, operations.query, context));
    const budget = { cost, bytes: 0, hasConnection: true };
    const events = await operations.subscribe(document, { after }, context, budget);
    response.once('close', () => void events.return());
    if (response.closed) await events.return();
    response.set(headers);
    // The first block has no data and so makes no event, yet clients keep its id: they lose nothing from here on.
    response.write(after === null ? ':\n\n' : `: what comes from here on\nid: ${after}\n\n`);
    const comments = setInterval(() => void response.write(':\n\n'), keepAlive);
    try {
      for await (const each of events) {
        const { id, data } = source.toEvent(each, caller);
        await write(response, `id: ${id}\nevent: ${source.event}\ndata: ${JSON.stringify(data)}\n\n`);
      }
    } catch (error) {
      sendEnd(response, error, request.id);
    } finally {
      clearInterval(comments);
      response.end();
      // Who takes nothing does not take the end either.
      response.setTimeout(lastWait);
    }
  };
  return Router({ caseSensitive: true }).get(source.path, handler);
}

/** Whether the client accepts an event stream explicitly; a wildcard does not count. */
const wantsEvents = (request: Request) => request.accepts(['json', eventStream]) === eventStream;

function resumedAt(request: Request): string | undefined {
  const { after } = request.query;
  if (after !== undefined && typeof after !== 'string') throw invalid('after', 'must be a string');
  return request.get('Last-Event-ID') ?? after;
}

async function startOf<Data>({ start }: EventSource<Data>, query: Operation, context: Context) {
  return start ? start.cursorOf(await query(start.document, {}, context)) : null;
}

function sendEnd(response: Response, error: unknown, requestId: string): void {
  const { message, extensions } = presentable(error, requestId);
  response.write(`event: end\ndata: ${JSON.stringify({ message, code: extensions['code'] })}\n\n`);
}
