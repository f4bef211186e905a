import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Router } from 'express';
import { log, sendMetrics } from '@taskgate/base';
import { json } from '@taskgate/http';
import type { Connections } from '../platform/database.ts';

/** @param metrics whether to serve `/metrics`: see `METRICS_PORT` */
export function healthEndpoints(connections: Connections, isStopping: () => boolean, metrics: boolean): Router {
  const router = Router({ caseSensitive: true });
  router.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
  router.get('/readyz', async (_request, response) => {
    if (isStopping()) return void response.status(503).json({ status: 'the service is stopping' });
    const ready = await connections.isReady();
    response.status(ready ? 200 : 503).json({ status: ready ? 'ok' : 'the database does not answer' });
  });
  if (metrics) router.get('/metrics', sendMetrics);
  return router;
}

const maxConnections = 100;
const requestMs = 10_000;

export type Phase = 'starting' | 'ready' | 'stopping';

/** A start that ends before it serves anything was never ready. */
export function phaseOf(hasBeenReady: boolean, isStopping: boolean): Phase {
  if (!hasBeenReady) return 'starting';
  return isStopping ? 'stopping' : 'ready';
}

/**
 * A separate listener is out of reach of clients. `/readyz` stays 200 without a database: a balancer must not remove
 * all processes.
 */
export function createMetricsServer(phase: () => Phase, connections: () => Connections | undefined): Server {
  const probe = (response: ServerResponse, isOk: boolean, status: object) =>
    void response.writeHead(isOk ? 200 : 503, { 'Content-Type': json }).end(JSON.stringify(status));
  const handlers: Record<string, (request: IncomingMessage, response: ServerResponse) => unknown> = {
    '/metrics': sendMetrics,
    '/healthz': (_request, response) => probe(response, true, { status: 'ok' }),
    '/startupz': (_request, response) => probe(response, phase() !== 'starting', { status: phase() }),
    '/readyz': (_request, response) =>
      probe(response, phase() === 'ready', {
        status: phase(),
        database: phase() === 'starting' || connections()?.isAway !== false ? 'unavailable' : 'ok',
      }),
  };
  const server = createServer({ headersTimeout: requestMs, requestTimeout: requestMs }, (request, response) => {
    const { method = '', url = '' } = request;
    const handle = handlers[url.split('?')[0] ?? ''];
    if (!handle || !['GET', 'HEAD'].includes(method)) return void response.writeHead(404).end();
    Promise.resolve(handle(request, response)).catch((error: unknown) => {
      log.error({ error }, 'the metrics could not be read');
      response.writeHead(500).end();
    });
  });
  server.maxConnections = maxConnections;
  return server;
}
