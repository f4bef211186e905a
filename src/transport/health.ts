import { Router } from 'express';
import { isDatabaseReady } from '../database/database.ts';
import { answerScrape } from '../kernel/metrics.ts';

export interface HealthOptions {
  isStopping: () => boolean;
  /** Whether the metrics are served here as well: see `METRICS_PORT`. */
  metrics: boolean;
}

/** What those who run the service ask it: whether it lives, whether it can serve, and, if it is to say so here, its figures. */
export function healthEndpoints({ isStopping, metrics }: HealthOptions): Router {
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
