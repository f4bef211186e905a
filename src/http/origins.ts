import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import { bearerOf } from '../kernel/bearer.ts';
import { forbidden } from '../kernel/errors.ts';
import { log } from '../kernel/logger.ts';
import { isLoopback } from '../kernel/networks.ts';
import type { SecurityLog } from '../kernel/security-log.ts';
import { graphqlRequestTypes, isOneOf } from './media-types.ts';

export interface OriginOptions {
  /** The service's own origin, as users see it. */
  publicUrl: string;
  /** Further origins whose pages may call it. */
  corsOrigins: readonly string[];
  securityLog: SecurityLog;
}

/**
 * Whether pages of an origin may call the service: its own, by the public URL or the host that the request
 * names, and those of `CORS_ORIGINS`. Over every transport, WebSocket's handshake included (OWASP ASVS 4.4.2).
 * @param origin the request's `Origin`; absent: not sent by a browser's script or form, so allowed
 * @param host the request's `Host`
 */
export function isAllowedOrigin(
  origin: string | undefined,
  host: string | undefined,
  { publicUrl, corsOrigins }: OriginOptions,
): boolean {
  if (origin === undefined || origin === publicUrl || corsOrigins.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const { host: ofOrigin, protocol } = new URL(origin);
  // A page over plain HTTP may come from anybody, if the service itself is behind TLS.
  const isSafe = protocol === 'https:' || !publicUrl.startsWith('https:');
  return isSafe && ofOrigin === host?.toLowerCase();
}

/** CORS with credentials, for the allowed origins alone. */
export const corsHeaders = (options: OriginOptions): RequestHandler =>
  cors((request, decide) => {
    decide(null, {
      origin: isAllowedOrigin(request.headers.origin, request.headers.host, options),
      credentials: true,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: [
        'ETag',
        'Idempotency-Replayed',
        'RateLimit',
        'RateLimit-Policy',
        'Retry-After',
        'X-Operation-Id',
        'X-Request-Id',
      ],
      maxAge: 600,
    });
  });

/** The name by which an address calls this machine; undefined where it is of another one, or none. */
function loopbackOf(url: string): string | undefined {
  const name = URL.canParse(url) ? new URL(url).hostname : '';
  return isLoopback(name) ? name : undefined;
}

/**
 * Says in the log, once, where a page of a developer's machine calls the service by another name of that machine. For its browser
 * they are two sites, so that it keeps no cookie of the service: who signs in is signed out at the next request, without a word.
 */
export function warnOnLoopbackMismatch({ publicUrl, corsOrigins }: OriginOptions): RequestHandler {
  // A page of another origin than these is of the very host that it calls, or is refused.
  const names = new Map([publicUrl, ...corsOrigins].map((origin) => [origin, loopbackOf(origin)]));
  let isNoted = false;
  return ({ headers: { origin = '', host } }, _response, next) => {
    const ofPage = isNoted ? undefined : names.get(origin);
    const ofService = ofPage && loopbackOf(`http://${host}`);
    if (ofService && ofService !== ofPage) {
      isNoted = true;
      log.warn(
        { origin, host },
        'a page calls by another name than its own: its browser keeps no session; use one name',
      );
    }
    next();
  };
}

/** What brings an access token is sent by no form, link or page without a CORS preflight: no cookie of a user's goes along. */
export const bringsToken = ({ headers }: Request) => bearerOf(headers.authorization) !== undefined;

const harmless = ['GET', 'HEAD', 'OPTIONS'];

/** Whose page it is that asks is not known: the user whose cookie comes along does not act. */
const sourceOf = ({ id, clientAddress }: Request) => ({ requestId: id, viewer: null, clientAddress });

/**
 * Refuses what may change something where it comes from a page of another origin (OWASP ASVS 3.5.1): the
 * browser would send it even where CORS keeps the response back.
 */
export const refuseForeignPages =
  (options: OriginOptions): RequestHandler =>
  (request, _response, next) => {
    const { method, headers } = request;
    if (harmless.includes(method) || bringsToken(request) || isAllowedOrigin(headers.origin, headers.host, options))
      return next();
    options.securityLog.event('malicious_cors', sourceOf(request), { reason: 'origin' });
    next(forbidden('Pages of this origin may not call the service'));
  };

/** What Yoga's and Apollo's clients send for this purpose. */
const preflightHeaders = ['x-graphql-yoga-csrf', 'apollo-require-preflight'];

/** Whether the browser says that a page of another site, or of another origin of the site, asks (Fetch Metadata). */
const isOfOtherPage = ({ headers }: Request) =>
  ['cross-site', 'same-site'].includes([headers['sec-fetch-site']].flat()[0] ?? '');

/**
 * Refuses what another site's form, link or EventSource could send with the user's cookie. A request passes that has a JSON content
 * type or one of the {@link preflightHeaders}, for both of which a browser asks for leave first (Fetch, CORS-preflight fetch), and a
 * GET, which changes nothing, unless the browser says that a page sends it which may not call the service.
 */
export const refuseFormsAndLinks =
  (options: OriginOptions): RequestHandler =>
  (request, _response, next) => {
    const { method, headers } = request;
    if (bringsToken(request)) return next();
    if (isOneOf(headers['content-type'], graphqlRequestTypes)) return next();
    if (preflightHeaders.some((name) => headers[name] !== undefined)) return next();
    const isForeign =
      headers.origin === undefined ? isOfOtherPage(request) : !isAllowedOrigin(headers.origin, headers.host, options);
    if (method === 'GET' && !isForeign) return next();
    options.securityLog.event('malicious_cors', sourceOf(request), { reason: 'no_preflight' });
    next(
      forbidden(`Send the header ${preflightHeaders[0]}: it shows that the request is no other site's form or link`),
    );
  };
