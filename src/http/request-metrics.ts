import type { RequestHandler, Response } from 'express';
import { Histogram } from 'prom-client';
import { counter, registry } from '../kernel/metrics.ts';
import { eventStream } from './media-types.ts';
import { routeOf } from './request-route.ts';

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

/** In the place of a status where the client has hung up before the end of the response. */
const aborted = 'aborted';

/** A stream of events lasts as long as its client likes: its duration says nothing of how fast requests are answered. */
const transportOf = (response: Response) =>
  String(response.getHeader('Content-Type')).startsWith(eventStream) ? 'sse' : 'http';

/** Measures every request. No label has a value that a client can make up. */
export const measureRequests: RequestHandler = (request, response, next) => {
  const begun = performance.now();
  response.once('close', () => {
    const { statusCode: status, writableFinished } = response;
    const labels = {
      transport: transportOf(response),
      method: knownMethods.has(request.method) ? request.method : 'other',
      route: routeOf(request),
      status: writableFinished ? `${Math.floor(status / 100)}xx` : aborted,
    };
    durations.observe(labels, (performance.now() - begun) / 1000);
    responses.inc({ status: writableFinished ? status : aborted });
  });
  next();
};
