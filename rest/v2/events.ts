import { type RequestHandler, Router } from 'express';
import type { ResultOf } from 'gql.tada';
import type { GraphQLSchema } from 'graphql';
import { signedIn } from '../../src/kernel/context.ts';
import { noBody, type RequestContexts } from '../../src/transport/request-contexts.ts';
import { presentable } from '../../src/graphql/errors.ts';
import { bindSubscription } from '../operation.ts';
import type { Caller } from '../route.ts';
import { eventStream } from '../../src/transport/media-types.ts';
import { write } from '../../src/transport/streamed-response.ts';
import { ChangeStream, CursorOfNow, toChange } from './changes.ts';

/** Milliseconds between comments, which show both sides that the connection is alive. */
const keepAlive = 15_000;
/** What an event is estimated to cost: the document is ours, and not checked as those of clients are. */
export const eventCost = 8;
/** Milliseconds for which a client may leave the end of the stream unread. */
const lastWait = 30_000;

/** Serves `GET /api/v2/events`: the changes of tasks as Server-Sent Events. */
export function eventEndpoint(schema: GraphQLSchema, contexts: RequestContexts): Router {
  const operations = bindSubscription(schema, [CursorOfNow, ChangeStream]);
  const handler: RequestHandler = async (request, response) => {
    const { context } = await contexts.afterBody(request, noBody);
    const caller: Caller = { inboxId: signedIn(context).inboxId };
    const { after: given } = request.query;
    const headers = { 'Content-Type': eventStream, 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };
    // The same headers and no content (RFC 9110, 9.3.2); a stream would never end.
    if (request.method === 'HEAD') return void response.set(headers).end();
    const resumed = request.get('Last-Event-ID') ?? (typeof given === 'string' ? given : undefined);
    const after =
      resumed ?? ((await operations.query(CursorOfNow, {}, context)) as ResultOf<typeof CursorOfNow>).changes.cursor;
    const answers = await operations.subscribe(ChangeStream, { after }, context, {
      cost: eventCost,
      bytes: 0,
      hasConnection: true,
    });
    response.once('close', () => void answers.return());
    if (response.closed) await answers.return();
    response.set(headers);
    // The first block has no data and so makes no event, yet clients keep its id: they lose nothing from here on.
    response.write(`: the changes from here on\nid: ${after}\n\n`);
    const comments = setInterval(() => void response.write(':\n\n'), keepAlive);
    try {
      for await (const { taskChanges } of answers) {
        const change = toChange(taskChanges, caller);
        await write(response, `id: ${change.cursor}\nevent: task\ndata: ${JSON.stringify(change)}\n\n`);
      }
    } catch (error) {
      const { message, extensions } = presentable(error, request.id);
      response.write(`event: end\ndata: ${JSON.stringify({ message, code: extensions['code'] })}\n\n`);
    } finally {
      clearInterval(comments);
      response.end();
      // Who takes nothing does not take the end either.
      response.setTimeout(lastWait);
    }
  };
  return Router({ caseSensitive: true }).get('/api/v2/events', handler);
}
