import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import type { RequestHandler, Response } from 'express';
import { Histogram } from 'prom-client';
import { log } from '../kernel/logger.ts';
import { counter, registry } from '../kernel/metrics.ts';
import { openSpan } from '../kernel/tracing.ts';
import { eventStream } from './media-types.ts';
import { routeOf } from './request-route.ts';

/** What a request turned out to be. */
interface RequestFacts {
  userId?: string | undefined;
  /** Of the session or access token that it came by, as its user knows it. */
  credentialId?: string | undefined;
  operation?: { type: string; name: string | undefined };
}

const factsOf = new WeakMap<IncomingMessage, RequestFacts>();

/** Adds to what the request's line in the log will say. */
export function noteRequest(request: IncomingMessage, facts: RequestFacts): void {
  const known = factsOf.get(request);
  if (known) Object.assign(known, facts);
}

/** UTF-16 code units of an operation's name that are logged. */
const maxNameLength = 100;

/** The name of a client's operation, as the log shows it. */
export const loggedName = (name: string | undefined): string | undefined => name?.slice(0, maxNameLength);

const durations = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from a request to the end of its response, by transport, method, route and class of status.',
  labelNames: ['transport', 'method', 'route', 'status'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  registers: [registry],
});

const responses = counter('taskgate_http_responses_total', 'Responses by their status.', 'status');

/** Counts a response that no middleware has seen. */
export const countResponse = (status: number): void => responses.inc({ status });

/** Methods that are named; Node takes three dozen, which clients choose from. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Asked for by machines, every few seconds. */
const quietRoutes = new Set(['/healthz', '/readyz', '/metrics']);

/** A stream of events lasts as long as its client likes: its duration says nothing of how fast requests are answered. */
const transportOf = (response: Response) =>
  String(response.getHeader('Content-Type')).startsWith(eventStream) ? 'sse' : 'http';

/**
 * Observes every request until it is over: its figures, its span where traces are on, which continues the caller's, and its line in the
 * log (docs/operations.md). No label has a value that a client can make up, and the line no address, no e-mail, no path or query as it
 * came, no body.
 */
export const observeRequests: RequestHandler = (request, response, next) => {
  const { id: requestId, method, socket, headers } = request;
  const begunAt = performance.now();
  const bytesBefore = socket.bytesWritten;
  const facts: RequestFacts = {};
  factsOf.set(request, facts);
  const attributes = { 'http.request.method': method, 'taskgate.request_id': requestId };
  const span = openSpan(method, 'SERVER', attributes, headers);
  // Not at `close`, by which the next response of the connection may have been written.
  finished(response, { readable: false }, () => {
    const { statusCode: status } = response;
    // Otherwise the client has hung up before the end of the response.
    const isWhole = response.writableFinished;
    const ms = performance.now() - begunAt;
    const route = routeOf(request);
    durations.observe(
      {
        transport: transportOf(response),
        method: knownMethods.has(method) ? method : 'other',
        route,
        status: isWhole ? `${Math.floor(status / 100)}xx` : 'aborted',
      },
      ms / 1000,
    );
    responses.inc({ status: isWhole ? status : 'aborted' });
    span?.rename(`${method} ${route}`);
    const failure = isWhole ? status >= 500 && String(status) : 'aborted';
    span?.end({ 'http.route': route, 'http.response.status_code': status }, failure ? { code: failure } : undefined);
    const { operation, ...caller } = facts;
    const line = {
      requestId,
      method,
      route,
      operation: operation && { ...operation, name: loggedName(operation.name) },
      status,
      ms: Math.round(ms),
      bytes: socket.bytesWritten - bytesBefore,
      ...caller,
      ...span?.ids,
      ...(!isWhole && { aborted: true }),
    };
    log[levelOf(isWhole, status, route)](line, 'request');
  });
  if (span) span.run(next);
  else next();
};

function levelOf(isWhole: boolean, status: number, route: string) {
  if (isWhole && status >= 500) return 'error';
  return isWhole && quietRoutes.has(route) ? 'debug' : 'info';
}
