import { type ErrorRequestHandler, type Response, Router } from 'express';
import { html } from '@taskgate/http';
import { sendPlainPage } from '../http/plain-page.ts';
import type { Services } from '../platform/services.ts';
import { readUnsubscribeToken, unsubscribe } from './unsubscribe.ts';

/** A mail program may cut off the end of a link. */
const path = '/{:token}';

interface Page {
  title: string;
  text: string;
  button?: string;
}

const invalidLink: Page = {
  title: 'This link does not work',
  text: 'Open it as it is in the mail, or turn mails off in your preferences.',
};

function send(response: Response, status: number, { title, text, button }: Page): void {
  const form = button === undefined ? [] : html`<form method="post"><button>${button}</button></form>`;
  response.status(status).set('Cache-Control', 'no-store');
  sendPlainPage(
    response,
    `${title} – Taskgate`,
    title,
    html`<p>${text}</p>
      ${form}`,
  );
}

/** A malformed percent-encoding is an invalid token. */
const refuseMalformed: ErrorRequestHandler = (error, _request, response, next) => {
  if (error instanceof URIError) send(response, 404, invalidLink);
  else next(error);
};

/** POST needs no session and takes any body (RFC 8058). GET changes nothing, because mail scanners follow links. */
export function unsubscribePages(services: Services): Router {
  const { secrets, requestLimits } = services;
  const router = Router();
  router.get(path, ({ params: { token = '' } }, response) => {
    const target = readUnsubscribeToken(secrets, token);
    send(response, target ? 200 : 404, target ? target.unsubscribing.question : invalidLink);
  });
  router.post(path, async (request, response) => {
    const { id: requestId, clientAddress, method } = request;
    requestLimits.countRest(method, { requestId, clientAddress, session: undefined, response });
    const target = readUnsubscribeToken(secrets, request.params.token ?? '');
    if (target) await unsubscribe(services, target);
    send(response, target ? 200 : 404, target ? target.unsubscribing.done : invalidLink);
  });
  router.use(refuseMalformed);
  return router;
}
