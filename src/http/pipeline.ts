import type { RequestListener } from 'node:http';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { assignClientAddress } from './client-address.ts';
import { errorHandler, graphqlForm, onUnknownPath, refuseSubpaths, restForm } from './error-response.ts';
import { shedLoad } from './load-shedding.ts';
import { ignoreLongAccept } from './media-types.ts';
import {
  corsHeaders,
  type OriginOptions,
  refuseForeignPages,
  refuseFormsAndLinks,
  warnOnLoopbackMismatch,
} from './origins.ts';
import type { Overload } from './overload.ts';
import { inOrder } from './pipelining.ts';
import { assignRequestId } from './request-id.ts';
import type { RequestLimits } from './request-limits.ts';
import { observeRequests } from './request-observation.ts';
import { securityHeaders, setHeaders } from './security-headers.ts';

type Handler = RequestHandler | ErrorRequestHandler;

/** A row: what handles a request at this place, and why there. */
type Middleware = { why: string } & (
  { around: (handle: RequestListener) => RequestListener } | { path?: string | string[]; use: Handler | Handler[] }
);

export interface PipelineOptions {
  overload: Overload;
  limits: RequestLimits;
  origins: OriginOptions;
  /** What `src/app.ts` brings, as it knows the domain and the transports. */
  handlers: Record<
    | 'probes'
    | 'avatars'
    | 'pages'
    | 'docs'
    | 'openApi'
    | 'unsubscribe'
    | 'refuseSpentMutations'
    | 'authenticate'
    | 'graphiql'
    | 'graphql',
    RequestHandler
  > & { rest: RequestHandler[] };
}

/**
 * All that a request meets, in this order. Before the first row its connection is within the bounds of `http-server.ts`; within an API
 * the steps of an operation follow (`request-contexts.ts`, `exchange.ts`). Upgrades to WebSocket have their own way (`graphql-transport/websocket.ts`).
 */
export function pipeline({ overload, limits, origins, handlers }: PipelineOptions): readonly Middleware[] {
  const headers = securityHeaders(origins.publicUrl);
  const cors = corsHeaders(origins);
  return [
    { around: inOrder, why: 'A connection has one request handled at a time: responses are sent in order anyway.' },
    {
      around: (handle) => shedLoad(handle, { overload, headers, cors }),
      why: 'Overload is refused first, before a request costs anything.',
    },
    { use: assignRequestId, why: 'Every response and line in the log from here on names its request.' },
    { use: assignClientAddress(), why: 'Limits and the security log count and name the client by it.' },
    { use: observeRequests, why: 'It sees each response, refusals included.' },
    { use: setHeaders(headers), why: 'Every response has them, refusals included.' },
    {
      use: cors,
      why: 'Pages of allowed origins can read refusals. Their preflights end here, and count for no limit.',
    },
    { use: warnOnLoopbackMismatch(origins), why: 'Developers see it even where their request is refused.' },
    { use: handlers.probes, why: 'Those who run the service are never refused by a limit.' },
    { use: limits.countRequests, why: 'All that follows costs something.' },
    { path: '/avatars', use: handlers.avatars, why: 'These are for everyone: no session is read up to openApi.' },
    { use: handlers.pages, why: 'The console, or the home page without it.' },
    { path: '/docs', use: handlers.docs, why: 'The REST reference for people.' },
    { use: handlers.openApi, why: 'The same for programs.' },
    {
      use: limits.refuseSpent,
      why: 'Who was refused in this window is refused again, without a look-up of the session.',
    },
    {
      path: '/unsubscribe',
      use: handlers.unsubscribe,
      why: 'The link in a mail is enough: it works without a session.',
    },
    {
      path: '/graphql',
      use: handlers.refuseSpentMutations,
      why: 'As refuseSpent, for mutations: only the body shows them, so it is read early, for sessions that have no writes left.',
    },
    { use: handlers.authenticate, why: 'The one look-up of the session or access token, for both APIs.' },
    { path: '/graphql', use: refuseSubpaths, why: 'The endpoint has no subpaths.' },
    { path: '/graphql', use: handlers.graphiql, why: 'A page: links of other sites may open it.' },
    { path: '/graphql', use: ignoreLongAccept, why: 'A long Accept costs more to parse than an operation.' },
    {
      path: ['/graphql', '/api'],
      use: refuseForeignPages(origins),
      why: 'Before the body is read: a browser sends the cookie, whichever page asks.',
    },
    {
      path: '/graphql',
      use: refuseFormsAndLinks(origins),
      why: 'Some browsers send no Origin: forms and links are recognised by the headers that they cannot set.',
    },
    { path: '/graphql', use: handlers.graphql, why: 'The operations.' },
    { use: handlers.rest, why: 'Event streams, export and redirects, then the rows of rest/.' },
    { path: '/graphql', use: errorHandler(graphqlForm), why: 'Errors have the form of their API.' },
    { use: [onUnknownPath, errorHandler(restForm)], why: 'The last: what nothing has answered is no endpoint.' },
  ];
}
