import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import type { RequestHandler, Response } from 'express';
import { Histogram } from 'prom-client';
import { counter, log, openSpan, registry } from '@taskgate/base';
import { eventStream } from '@taskgate/http';
import { routeOf } from './request-route.ts';

interface RequestFacts {
  userId?: string | undefined;
  /** Public id. */
  credentialId?: string | undefined;
  operation?: { type: string; name: string | undefined };
}

const factsOf = new WeakMap<IncomingMessage, RequestFacts>();

export function noteRequest(request: IncomingMessage, facts: RequestFacts): void {
  const noted = factsOf.get(request);
  if (noted) Object.assign(noted, facts);
}

const maxNameLength = 100;

export const loggedName = (name: string | undefined): string | undefined => name?.slice(0, maxNameLength);

const durations = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the request to the end of the response, by transport, method, route and status class.',
  labelNames: ['transport', 'method', 'route', 'status'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  registers: [registry],
});

const responses = counter('taskgate_http_responses_total', 'Responses by status.', 'status');

export const countResponse = (status: number): void => responses.inc({ status });

/** Others get one label: Node accepts three dozen. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const probeRoutes = new Set(['/healthz', '/readyz', '/metrics']);

/** Streams say nothing about latency. */
const transportOf = (response: Response) =>
  String(response.getHeader('Content-Type')).startsWith(eventStream) ? 'sse' : 'http';

/** Records metrics, a log line and a span: see docs/operations.md. Labels never have values that clients choose. */
export const observeRequests: RequestHandler = (request, response, next) => {
  const { id: requestId, method, socket, headers } = request;
  const begunAt = performance.now();
  const bytesBefore = socket.bytesWritten;
  const facts: RequestFacts = {};
  factsOf.set(request, facts);
  const attributes = { 'http.request.method': method, 'taskgate.request_id': requestId };
  const span = openSpan(method, 'SERVER', attributes, headers);
  // `close` can come after the next response was written.
  finished(response, { readable: false }, () => {
    const { statusCode: status } = response;
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
  return isWhole && probeRoutes.has(route) ? 'debug' : 'info';
}
