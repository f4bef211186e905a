import { type RequestHandler, Router } from 'express';
import { html } from '@taskgate/http';
import { sendPlainPage } from '../http/plain-page.ts';

const body = html`<p>
    A task-management backend. Programs use it through its APIs. These pages are for their developers.
  </p>
  <dl>
    <dt><a href="/graphql">GraphQL</a></dt>
    <dd>The API with nested tasks and subscriptions, in GraphiQL.</dd>
    <dt><a href="/docs">REST</a></dt>
    <dd>The reference of all endpoints. You can send requests from it.</dd>
  </dl>`;

const show: RequestHandler = (request, response, next) => {
  if (!request.get('accept')?.includes('text/html')) return next();
  response.set({ 'Cache-Control': 'no-cache', Vary: 'Accept, Origin' });
  sendPlainPage(response, 'Taskgate', 'Taskgate', body);
};

/** Serves a page to browsers only. A client that accepts any type wants data, and gets 404. */
export const homePage = (): Router => Router().get('/', show);
