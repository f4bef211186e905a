import type { Request, RequestHandler, Response } from 'express';
import { invalid } from '@taskgate/base';
import { eventStream, streamHeaders, write } from '@taskgate/http';
import { noBody } from '../src/door/http.ts';
import { bindEvents, operationOn, presentable, requireFitting, signedIn } from '../src/door/index.ts';
import { callerOf, type Core, type EventsOfRoute } from './route.ts';

/** Milliseconds. */
const keepAlive = 15_000;
/** Milliseconds until a client that does not read the end is cut off. */
const lastWait = 30_000;

/** Resumed by `Last-Event-ID` or else `after`. */
export function sendEvents({ executor, contexts }: Core, source: EventsOfRoute): RequestHandler {
  const { event, document, start } = source;
  if (start) requireFitting(executor.schema, 'the start of a stream', start.document);
  const open = bindEvents(executor, document);
  const query = operationOn(executor);
  return async (request, response) => {
    const { context } = await contexts.afterBody(request, noBody);
    const caller = callerOf(signedIn(context));
    const headers = { 'Content-Type': eventStream, ...streamHeaders };
    // Same headers without content (RFC 9110, 9.3.2).
    if (request.method === 'HEAD') return void response.set(headers).end();
    const after = resumedAt(request) ?? (start ? start.cursorOf(await query(start.document, {}, context)) : null);
    const events = await open({ after }, context);
    response.once('close', () => void events.return());
    if (response.closed) await events.return();
    response.set(headers);
    // Not an event, but clients keep its id and can resume from here.
    response.write(after === null ? ':\n\n' : `: start\nid: ${after}\n\n`);
    const comments = setInterval(() => void response.write(':\n\n'), keepAlive);
    try {
      for await (const each of events) {
        const { id, data } = source.toEvent(each as never, caller);
        await write(response, `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
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
}

/** For a path that also serves JSON. */
export const unlessEvents =
  (respond: RequestHandler, stream: RequestHandler): RequestHandler =>
  (request, response, next) => {
    response.vary('Accept');
    return (wantsEvents(request) ? stream : respond)(request, response, next);
  };

/** Ignores wildcards. */
const wantsEvents = (request: Request) => request.accepts(['json', eventStream]) === eventStream;

function resumedAt(request: Request): string | undefined {
  const { after } = request.query;
  if (after !== undefined && typeof after !== 'string') throw invalid('after', 'must be a string');
  return request.get('Last-Event-ID') ?? after;
}

function sendEnd(response: Response, error: unknown, requestId: string): void {
  const { message, extensions } = presentable(error, requestId);
  response.write(`event: end\ndata: ${JSON.stringify({ message, code: extensions['code'] })}\n\n`);
}
