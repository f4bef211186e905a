import type { RequestHandler } from 'express';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

const registry = new Registry();
collectDefaultMetrics({ register: registry });

const durations = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from a request to the end of its answer, by method, door and status.',
  labelNames: ['method', 'door', 'status'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  registers: [registry],
});

/** The part of the service that a path or URL leads to. Paths themselves are no label: clients can make up any number. */
export const doorOf = (path: string) => /^\/(api\/v[12]|graphql|docs|avatars)(?=[/?]|$)/.exec(path)?.[1];

/** In the place of a status where the client has hung up before the end of the answer; nginx' figure for it. */
const clientClosed = 499;

/** Measures every request. */
export const measureRequests: RequestHandler = (request, response, next) => {
  const stop = durations.startTimer({ method: request.method, door: doorOf(request.path) ?? 'other' });
  response.once('close', () => stop({ status: response.writableFinished ? response.statusCode : clientClosed }));
  next();
};

/** The process' metrics, for Prometheus. */
export const metrics: RequestHandler = async (_request, response) => {
  response.type(registry.contentType).send(await registry.metrics());
};
