import { type RequestHandler, Router } from 'express';
import { pagePolicy } from '../http/security-headers.ts';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <title>Taskgate</title>
    <link rel="icon" href="data:," />
    <style>
      :root { color-scheme: light dark; font: 1.1rem/1.6 system-ui, sans-serif; }
      main { max-width: 34rem; margin: 15vh auto 0; padding: 0 1.5rem; }
      dt { margin-top: 1rem; font-weight: 600; }
      dd { margin: 0; }
    </style>
  </head>
  <body>
    <main>
      <h1>Taskgate</h1>
      <p>A task-management backend. It is used by programs; these pages are for those who write them.</p>
      <dl>
        <dt><a href="/graphql">GraphQL</a></dt>
        <dd>The API with nested tasks and subscriptions, in GraphiQL.</dd>
        <dt><a href="/docs">REST</a></dt>
        <dd>Every endpoint, to be tried out.</dd>
      </dl>
    </main>
  </body>
</html>
`;

const policy = pagePolicy({ 'style-src': ["'unsafe-inline'"], 'img-src': ['data:'] });

const show: RequestHandler = (request, response, next) => {
  if (!request.get('accept')?.includes('text/html')) return next();
  response.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache', Vary: 'Accept, Origin' });
  response.type('html').send(page);
};

/** For people who open the service's address in a browser; clients that take anything mean data, of which there is none. */
export const homePage = (): Router => Router().get('/', show);
