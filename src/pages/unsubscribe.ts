import { type ErrorRequestHandler, type Response, Router } from 'express';
import { html } from '../notifications/mails/html.ts';
import { type MailPreference, readUnsubscribeToken, unsubscribe } from '../notifications/unsubscribe.ts';
import type { RequestLimits } from '../http/request-limits.ts';
import type { Services } from '../platform/services.ts';
import { sendPlainPage } from './plain-page.ts';

/** A mail program may cut off the end of a link. */
const path = '/{:token}';

interface PageServices extends Services {
  secrets: readonly string[];
  requestLimits: RequestLimits;
}

interface Page {
  title: string;
  text: string;
  button?: string;
}

const questions: Record<MailPreference, Page> = {
  taskRemainders: {
    title: 'Stop all reminders?',
    text: 'You will get no more mails that remind you of tasks.',
    button: 'Stop all reminders',
  },
  dailyDigest: {
    title: 'Stop the daily digest?',
    text: 'You will get no more mails about your day.',
    button: 'Stop the daily digest',
  },
};

const again = 'You can turn them on again in your preferences.';

const pages: Record<MailPreference, Page> = {
  taskRemainders: { title: 'Reminders are off', text: `You get no more mails that remind you of tasks. ${again}` },
  dailyDigest: { title: 'The daily digest is off', text: `You get no more mails about your day. ${again}` },
};

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
export function unsubscribePages(services: PageServices): Router {
  const { secrets, requestLimits } = services;
  const router = Router();
  router.get(path, ({ params: { token = '' } }, response) => {
    const target = readUnsubscribeToken(secrets, token);
    send(response, target ? 200 : 404, target ? questions[target.kind] : invalidLink);
  });
  router.post(path, async (request, response) => {
    const { id: requestId, clientAddress, method } = request;
    requestLimits.countRest(method, { requestId, clientAddress, session: undefined, response });
    const target = readUnsubscribeToken(secrets, request.params.token ?? '');
    if (target) await unsubscribe(services, target);
    send(response, target ? 200 : 404, target ? pages[target.kind] : invalidLink);
  });
  router.use(refuseMalformed);
  return router;
}
