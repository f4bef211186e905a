import { type Request, type Response, Router, static as serveFolder } from 'express';
import { getAbsoluteFSPath } from 'swagger-ui-dist';
import { openApiDocument } from './openapi.ts';
import type { Route } from './route.ts';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Taskgate REST API</title>
    <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/assets/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const start = `SwaggerUIBundle({ url: '/docs/openapi.json', dom_id: '#reference', deepLinking: true });\n`;

/** The REST reference for people, and the OpenAPI document that it shows; all assets are the service's own. */
export function docs(routes: readonly Route[], publicUrl: string): Router {
  const router = Router();
  const document = openApiDocument(routes, publicUrl);
  router.get('/', (_request: Request, response: Response) => void response.type('html').send(page));
  router.get('/start.js', (_request: Request, response: Response) => void response.type('js').send(start));
  router.get('/openapi.json', (_request: Request, response: Response) => void response.json(document));
  router.use('/assets', serveFolder(getAbsoluteFSPath(), { index: false, maxAge: '1d' }));
  return router;
}
