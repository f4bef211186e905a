import { type RequestHandler, Router } from 'express';
import { html } from '../notifications/mails/html.ts';
import { sendPlainPage } from './plain-page.ts';

const body = html`<p>A task-management backend. It is used by programs; these pages are for those who write them.</p>
  <dl>
    <dt><a href="/graphql">GraphQL</a></dt>
    <dd>The API with nested tasks and subscriptions, in GraphiQL.</dd>
    <dt><a href="/docs">REST</a></dt>
    <dd>Every endpoint, to be tried out.</dd>
  </dl>`;

const show: RequestHandler = (request, response, next) => {
  if (!request.get('accept')?.includes('text/html')) return next();
  response.set({ 'Cache-Control': 'no-cache', Vary: 'Accept, Origin' });
  sendPlainPage(response, 'Taskgate', 'Taskgate', body);
};

/** For people who open the service's address in a browser; clients that take anything mean data, of which there is none. */
export const homePage = (): Router => Router().get('/', show);
