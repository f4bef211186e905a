import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

type Policy = Readonly<Record<string, readonly string[]>>;

const none = ["'none'"];

/** Loads nothing and appears in no frame (OWASP ASVS 3.4.3, 3.4.6). */
const emptyPage: Policy = {
  'default-src': none,
  'object-src': none,
  'base-uri': none,
  'form-action': none,
  'frame-ancestors': none,
};

/** Data stays data if a browser opens it as a page (OWASP ASVS 3.2.1). */
const dataPolicy: Policy = { ...emptyPage, sandbox: [] };

export const pagePolicy = (sources: Policy): string => textOf({ ...emptyPage, ...sources });

const textOf = (policy: Policy): string =>
  Object.entries(policy)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ');

/** OWASP headers are equal for all responses, so Helmet runs once. */
export function securityHeaders(publicUrl: string): [name: string, value: string][] {
  const setAll = helmet({
    // One year, including subdomains (OWASP ASVS 3.4.1).
    strictTransportSecurity: publicUrl.startsWith('https:'),
    contentSecurityPolicy: false,
  });
  const model = new ServerResponse(new IncomingMessage(new Socket()));
  setAll(model.req, model, () => undefined);
  model.setHeader('Content-Security-Policy', textOf(dataPolicy));
  return Object.entries(model.getHeaders()) as [string, string][];
}

export const setHeaders =
  (headers: readonly (readonly [name: string, value: string])[]): RequestHandler =>
  (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
