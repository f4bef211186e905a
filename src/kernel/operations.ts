import { Router } from 'express';
import { isDatabaseReady } from './database.ts';
import { metrics } from './metrics.ts';

/** What those who run the service ask it: whether it lives, whether it can serve, and its figures. */
export function operations({ isStopping }: { isStopping: () => boolean }): Router {
  const router = Router();
  router.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
  router.get('/readyz', async (_request, response) => {
    if (isStopping()) return void response.status(503).json({ status: 'the service is stopping' });
    const ready = await isDatabaseReady();
    response.status(ready ? 200 : 503).json({ status: ready ? 'ok' : 'the database does not answer' });
  });
  router.get('/metrics', metrics);
  return router;
}
