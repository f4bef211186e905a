import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Directives of a Content-Security-Policy, each with its sources. */
type Policy = Readonly<Record<string, readonly string[]>>;

const none = ["'none'"];

/** Of a page before it names what it loads: nothing, from nowhere, in no frame (OWASP ASVS 3.4.3, 3.4.6). */
const emptyPage: Policy = {
  'default-src': none,
  'object-src': none,
  'base-uri': none,
  'form-action': none,
  'frame-ancestors': none,
};

/** Of data: it stays data where a browser opens it as a page (OWASP ASVS 3.2.1). */
const dataPolicy: Policy = { ...emptyPage, sandbox: [] };

/** The policy of a page, as the header's value: nothing but what it names as sources of what it loads, and never in a frame. */
export const pagePolicy = (sources: Policy): string => textOf({ ...emptyPage, ...sources });

const textOf = (policy: Policy): string =>
  Object.entries(policy)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ');

/**
 * OWASP's headers, the same for all responses, so that Helmet is asked once; a page sets its own policy, {@link pagePolicy}.
 * @param publicUrl origin of the service as users see it: where that is https, browsers are to insist on it
 */
export function securityHeaders(publicUrl: string): [name: string, value: string][] {
  const setAll = helmet({
    // One year, subdomains included (OWASP ASVS 3.4.1).
    strictTransportSecurity: publicUrl.startsWith('https:'),
    contentSecurityPolicy: false,
  });
  const model = new ServerResponse(new IncomingMessage(new Socket()));
  setAll(model.req, model, () => undefined);
  model.setHeader('Content-Security-Policy', textOf(dataPolicy));
  return Object.entries(model.getHeaders()) as [string, string][];
}

/** Sets headers that are the same for all responses. */
export const setHeaders =
  (headers: readonly (readonly [name: string, value: string])[]): RequestHandler =>
  (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
