import { createServer, type Server } from 'node:http';
import { Router } from 'express';
import { isDatabaseReady } from '../database/database.ts';
import { log } from '../kernel/logger.ts';
import { answerScrape } from '../kernel/metrics.ts';

/**
 * What those who run the service ask it: whether it lives, whether it can serve, and its figures.
 * @param metrics whether those are served here as well: see `METRICS_PORT`
 */
export function healthEndpoints(isStopping: () => boolean, metrics: boolean): Router {
  const router = Router({ caseSensitive: true });
  router.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
  router.get('/readyz', async (_request, response) => {
    if (isStopping()) return void response.status(503).json({ status: 'the service is stopping' });
    const ready = await isDatabaseReady();
    response.status(ready ? 200 : 503).json({ status: ready ? 'ok' : 'the database does not answer' });
  });
  if (metrics) router.get('/metrics', answerScrape);
  return router;
}

/** Connections at once: of a scraper or two, and of people. */
const maxConnections = 100;
/** Milliseconds that a request may take to arrive. */
const requestMs = 10_000;

/** A server of its own for `GET /metrics` and nothing else, so that the figures are read where clients cannot reach. */
export function createMetricsServer(): Server {
  const server = createServer({ headersTimeout: requestMs, requestTimeout: requestMs }, (request, response) => {
    const isScrape = ['GET', 'HEAD'].includes(request.method ?? '') && /^\/metrics(\?|$)/.test(request.url ?? '');
    if (!isScrape) return void response.writeHead(404).end();
    answerScrape(request, response).catch((error: unknown) => {
      log.error({ error }, 'the metrics could not be read');
      response.writeHead(500).end();
    });
  });
  server.maxConnections = maxConnections;
  return server;
}
