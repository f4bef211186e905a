import { createRequire } from 'node:module';
import path from 'node:path';
import { Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import { pagePolicy } from '../src/transport/security-headers.ts';
import { staticFiles } from '../src/transport/static-files.ts';
import { openApiDocument } from './openapi.ts';
import type { Route } from './route.ts';

/** Only the folder is needed: to import the package would load the page's scripts into the process. */
const assets = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Taskgate REST API</title>
    <link rel="icon" href="data:," />
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

/** The page's own files; Swagger UI makes style attributes and shows pictures that are part of its style sheet. */
const policy = pagePolicy({
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
});

/** The REST reference for people, and the OpenAPI document that it shows; all assets are the service's own. */
export function docs(schema: GraphQLSchema, routes: readonly Route[], publicUrl: string): Router {
  const router = Router();
  const document = openApiDocument(schema, routes, publicUrl);
  router.get('/', (_request, response) => {
    response.set('Content-Security-Policy', policy).type('html').send(page);
  });
  router.get('/start.js', (_request, response) => void response.type('js').send(start));
  router.get('/openapi.json', (_request, response) => void response.json(document));
  router.use('/assets', staticFiles(assets, { maxAge: '1d' }));
  return router;
}
