import { createServer, type Server } from 'node:http';
import { log } from '../kernel/logger.ts';
import { answerScrape } from '../kernel/metrics.ts';

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
