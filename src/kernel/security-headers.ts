import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Directives of a Content-Security-Policy, each with its sources. */
type Policy = Readonly<Record<string, readonly string[]>>;

const none = ["'none'"];

/**
 * Of data: nothing in it is executed, loaded or framed, whoever has a browser open it as a page (OWASP ASVS 3.2.1, 3.4.3,
 * 3.4.6).
 */
const dataPolicy: Policy = {
  'default-src': none,
  'object-src': none,
  'base-uri': none,
  'form-action': none,
  'frame-ancestors': none,
  sandbox: [],
};

/**
 * The policy of a page: nothing but what it names, and never in a frame.
 * @param sources of what it loads, by directive
 * @returns the header's value
 */
export function pagePolicy(sources: Policy): string {
  const { sandbox: _sandbox, ...base } = dataPolicy;
  return textOf({ ...base, ...sources });
}

const textOf = (policy: Policy): string =>
  Object.entries(policy)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ');

/**
 * OWASP's headers; what has browsers insist on https only where users see the service by https. They are the same for all
 * responses, so that Helmet is asked once; a page sets a policy of its own, {@link pagePolicy}.
 * @param publicUrl origin of the service as users see it
 */
export function securityHeaders(publicUrl: string): RequestHandler {
  const setAll = helmet({
    // One year, subdomains included (OWASP ASVS 3.4.1).
    strictTransportSecurity: publicUrl.startsWith('https:'),
    contentSecurityPolicy: false,
  });
  const model = new ServerResponse(new IncomingMessage(new Socket()));
  setAll(model.req, model, () => undefined);
  model.setHeader('Content-Security-Policy', textOf(dataPolicy));
  const headers = Object.entries(model.getHeaders()) as [string, string][];
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}
