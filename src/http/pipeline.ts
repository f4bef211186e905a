import type { RequestListener } from 'node:http';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import { assignClientAddress, assignRequestId, ignoreLongAccept, oneAtATime } from '@taskgate/http';
import type { Overload, Turns } from '@taskgate/work';
import {
  errorHandler,
  graphqlForm,
  mcpForm,
  onlyPost,
  onUnknownPath,
  refuseSubpaths,
  restForm,
} from './error-response.ts';
import type { Endpoint } from '../platform/module.ts';
import { inTurn, isOfCaller, refusalsInTurn, shedLoad } from './load-shedding.ts';
import {
  corsHeaders,
  type OriginOptions,
  refuseForeignPages,
  refuseFormsAndLinks,
  refuseOtherOrigins,
  requireToken,
  warnOnLoopbackMismatch,
} from './origins.ts';
import type { RequestLimits } from './request-limits.ts';
import { observeRequests } from './request-observation.ts';
import { securityHeaders, setHeaders } from './security-headers.ts';

type Handler = RequestHandler | ErrorRequestHandler;

type Middleware = { why: string } & (
  { around: (handle: RequestListener) => RequestListener } | { path?: string | string[]; use: Handler | Handler[] }
);

interface PipelineOptions {
  overload: Overload;
  turns: Turns;
  limits: RequestLimits;
  origins: OriginOptions;
  /** Undefined without a live credential. Call it after `authenticate`. */
  bearerOf: (request: Request) => object | undefined;
  /** Endpoints of modules. */
  endpoints: readonly Endpoint[];
  /** `src/app.ts` knows the domain and the transports. */
  handlers: Record<
    | 'probes'
    | 'pages'
    | 'docs'
    | 'openApi'
    | 'refuseSpentMutations'
    | 'authenticate'
    | 'graphiql'
    | 'graphql'
    | 'mcp'
    | 'rest',
    RequestHandler
  >;
}

const mounted = (endpoints: readonly Endpoint[]): readonly Middleware[] =>
  endpoints.map(({ path, handler }) => ({
    path,
    use: handler,
    why: 'An endpoint of a module works without a session.',
  }));

/**
 * Every request passes these rows in order, after the limits on connections of `http-server.ts`.
 * `graphql-transport/websocket.ts` handles upgrades.
 */
export function pipeline({
  overload,
  turns,
  limits,
  origins,
  bearerOf,
  endpoints,
  handlers,
}: PipelineOptions): readonly Middleware[] {
  const headers = securityHeaders(origins.publicUrl);
  const cors = corsHeaders(origins);
  return [
    {
      around: oneAtATime,
      why: 'Each connection has one request in flight, because responses are sent in order anyway.',
    },
    {
      around: (handle) => shedLoad(handle, { overload, headers, cors }),
      why: 'Under overload, requests are refused before they cost anything.',
    },
    { use: assignRequestId, why: 'From here on, every response and log line has the request id.' },
    { use: assignClientAddress(), why: 'Limits and the security log need it.' },
    { use: observeRequests, why: 'It records every response, including refusals.' },
    { use: setHeaders(headers), why: 'Every response has them, including refusals.' },
    {
      use: cors,
      why: 'Pages of allowed origins can read refusals. Preflights end here and count for no limit.',
    },
    { use: warnOnLoopbackMismatch(origins), why: 'Developers see it even if their request is refused.' },
    { use: handlers.probes, why: 'No limit refuses operators.' },
    { use: limits.countRequests, why: 'All later steps cost something.' },
    {
      use: inTurn(turns, isOfCaller),
      why: 'Requests of a client for pages and endpoints without a session take turns, so they delay nobody else.',
    },
    ...mounted(endpoints.filter(({ isLimited }) => !isLimited)),
    {
      use: handlers.pages,
      why: 'Public, up to openApi: no session is read. The console, or the home page if there is none.',
    },
    { path: '/docs', use: handlers.docs, why: 'The REST reference for people.' },
    { use: handlers.openApi, why: 'The REST reference for programs.' },
    {
      use: limits.refuseSpent,
      why: 'Clients over their limit are refused before the session is looked up.',
    },
    ...mounted(endpoints.filter(({ isLimited }) => isLimited)),
    {
      path: '/graphql',
      use: handlers.refuseSpentMutations,
      why: 'Like refuseSpent, for mutations. Only the body shows them, so it is read early if the session has no writes left.',
    },
    {
      path: '/mcp',
      use: [refuseSubpaths, refuseOtherOrigins(origins), onlyPost, requireToken(origins)],
      why: 'Agents bring a token. A page of another origin gets no further, not even with one.',
    },
    { use: handlers.authenticate, why: 'The only look-up of the session or access token, for both APIs.' },
    {
      use: inTurn(turns, bearerOf),
      why: 'So do requests of strangers. Others have waited for the look-up.',
    },
    { path: '/graphql', use: refuseSubpaths, why: 'The endpoint has no subpaths.' },
    { path: '/graphql', use: handlers.graphiql, why: 'A page that links of other sites may open.' },
    { path: '/graphql', use: ignoreLongAccept, why: 'A long Accept header costs more to parse than an operation.' },
    {
      path: ['/graphql', '/api'],
      use: refuseForeignPages(origins),
      why: 'Browsers send the cookie with requests of any page. These are refused before their body is read.',
    },
    {
      path: '/graphql',
      use: refuseFormsAndLinks(origins),
      why: 'Some browsers send no Origin. Forms and links cannot set the headers that this requires.',
    },
    { path: '/graphql', use: handlers.graphql, why: 'GraphQL operations.' },
    { path: '/mcp', use: handlers.mcp, why: 'The tools of mcp/.' },
    { use: handlers.rest, why: 'The rows of rest/.' },
    {
      use: [onUnknownPath, refusalsInTurn(turns)],
      why: 'A request without an error has no endpoint. Refusals of a client take turns as well.',
    },
    { path: '/graphql', use: errorHandler(graphqlForm), why: 'Errors have the format of their API.' },
    {
      path: '/mcp',
      use: errorHandler(mcpForm(origins.publicUrl)),
      why: 'A client without a token learns where it gets one.',
    },
    { use: errorHandler(restForm), why: 'All other errors.' },
  ];
}
