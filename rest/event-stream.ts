import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { TadaDocumentNode } from 'gql.tada';
import type { DocumentNode } from 'graphql';
import { invalid } from '@taskgate/base';
import { eventStream, streamHeaders, write } from '@taskgate/http';
import { type Context, signedIn } from '../src/platform/context.ts';
import { noBody, type RequestContexts } from '../src/http/request-contexts.ts';
import { bindSubscription, costOf, type Executor, type Operation, presentable } from './operation.ts';
import type { RestCaller } from './route.ts';

/** Milliseconds. */
const keepAlive = 15_000;
/** Milliseconds until a client that does not read the end is cut off. */
const lastWait = 30_000;

interface SentEvent {
  /** Cursor to resume from. */
  id: string;
  data: unknown;
}

interface EventSource<Data> {
  path: string;
  /** Whether the path also serves JSON. */
  isShared?: boolean;
  event: string;
  document: TadaDocumentNode<Data, { after?: string | null }>;
  /** Default cursor. */
  start?: { document: DocumentNode; cursorOf(data: unknown): string };
  toEvent(data: Data, caller: RestCaller): SentEvent;
}

/** Resumed by `Last-Event-ID` or else `after`. */
export function eventEndpoint<Data>(executor: Executor<Context>, contexts: RequestContexts, source: EventSource<Data>) {
  const { start, document } = source;
  const cost = costOf(executor.schema, document);
  const operations = bindSubscription(executor, [document, ...(start ? [start.document] : [])]);
  const handler: RequestHandler = async (request, response, next) => {
    if (source.isShared) {
      response.vary('Accept');
      if (!wantsEvents(request)) return next();
    }
    const { context } = await contexts.afterBody(request, noBody);
    const caller: RestCaller = { inboxId: signedIn(context).inboxId ?? '' };
    const headers = { 'Content-Type': eventStream, ...streamHeaders };
    // Same headers without content (RFC 9110, 9.3.2).
    if (request.method === 'HEAD') return void response.set(headers).end();
    const after = resumedAt(request) ?? (await startOf(source, operations.query, context));
    const budget = { cost, bytes: 0, hasConnection: true };
    const events = await operations.subscribe(document, { after }, context, budget);
    response.once('close', () => void events.return());
    if (response.closed) await events.return();
    response.set(headers);
    // Not an event, but clients keep its id and can resume from here.
    response.write(after === null ? ':\n\n' : `: start\nid: ${after}\n\n`);
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
      // The client may not read.
      response.setTimeout(lastWait);
    }
  };
  return Router({ caseSensitive: true }).get(source.path, handler);
}

/** Ignores wildcards. */
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
