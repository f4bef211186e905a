import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import { isLoopback, log, unauthenticated } from '@taskgate/base';
import { graphqlRequestTypes, isOneOf } from '@taskgate/http';
import { forbidden } from '../platform/errors.ts';
import type { SecurityLog } from '../platform/security-log.ts';

export interface OriginOptions {
  /** Origin of the service, as users see it. */
  publicUrl: string;
  corsOrigins: readonly string[];
  securityLog: SecurityLog;
  /** Whether a credential replaces the cookie. No form, link or page sends it without a preflight. */
  bringsToken: (headers: Request['headers']) => boolean;
}

/**
 * Allows the service's own origin (by its public URL or the `Host`) and `CORS_ORIGINS`, also for WebSocket (OWASP ASVS
 * 4.4.2).
 * @param origin absent if the request is not from a script or form
 */
export function isAllowedOrigin(
  origin: string | undefined,
  host: string | undefined,
  { publicUrl, corsOrigins }: Pick<OriginOptions, 'publicUrl' | 'corsOrigins'>,
): boolean {
  if (origin === undefined || origin === publicUrl || corsOrigins.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const { host: ofOrigin, protocol } = new URL(origin);
  // Behind TLS, a page over plain HTTP may come from an attacker.
  const isSafe = protocol === 'https:' || !publicUrl.startsWith('https:');
  return isSafe && ofOrigin === host?.toLowerCase();
}

/** Endpoints of OAuth, which ignore cookies. */
const forAllPages = /^\/(?:\.well-known\/oauth-|oauth\/(?:token|revoke|register)(?:$|\?))/;

export const corsHeaders = (options: OriginOptions): RequestHandler =>
  cors((request, decide) => {
    const isForAll = forAllPages.test(request.url);
    decide(null, {
      origin: isForAll ? '*' : isAllowedOrigin(request.headers.origin, request.headers.host, options),
      credentials: !isForAll,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: [
        'ETag',
        'Idempotency-Replayed',
        'RateLimit',
        'RateLimit-Policy',
        'Retry-After',
        'WWW-Authenticate',
        'X-Operation-Id',
        'X-Request-Id',
      ],
      maxAge: 600,
      // The contract has no 204.
      optionsSuccessStatus: 200,
    });
  });

function loopbackOf(url: string): string | undefined {
  const name = URL.canParse(url) ? new URL(url).hostname : '';
  return isLoopback(name) ? name : undefined;
}

/**
 * Warns once if a page calls the service by another loopback name (localhost, 127.0.0.1). The browser then drops the
 * session cookie.
 */
export function warnOnLoopbackMismatch({ publicUrl, corsOrigins }: OriginOptions): RequestHandler {
  // Other pages use the same host, or are refused.
  const names = new Map([publicUrl, ...corsOrigins].map((origin) => [origin, loopbackOf(origin)]));
  let isNoted = false;
  return ({ headers: { origin = '', host } }, _response, next) => {
    const ofPage = isNoted ? undefined : names.get(origin);
    const ofService = ofPage && loopbackOf(`http://${host}`);
    if (ofService && ofService !== ofPage) {
      isNoted = true;
      log.warn(
        { origin, host },
        'a page calls the service by another name than its own, so its browser keeps no session: use one name',
      );
    }
    next();
  };
}

/** Preflights of allowed origins end before. */
const harmless = ['GET', 'HEAD'];

/** Omits the cookie's user, because somebody else may have acted. */
const sourceOf = ({ id, clientAddress }: Request) => ({ requestId: id, viewer: null, clientAddress });

function foreignPage({ securityLog }: OriginOptions, request: Request): Error {
  securityLog.event('malicious_cors', sourceOf(request), { reason: 'origin' });
  return forbidden('Pages of this origin may not call the service');
}

/** CORS alone only hides the response (OWASP ASVS 3.5.1). */
export const refuseForeignPages =
  (options: OriginOptions): RequestHandler =>
  (request, _response, next) => {
    const { method, headers } = request;
    if (
      harmless.includes(method) ||
      options.bringsToken(headers) ||
      isAllowedOrigin(headers.origin, headers.host, options)
    )
      return next();
    next(foreignPage(options, request));
  };

/**
 * For an endpoint that programs call. Unlike {@link isAllowedOrigin}, it ignores `Host`: after DNS rebinding, a page sends
 * its own origin as `Host`.
 */
export const refuseOtherOrigins =
  (options: OriginOptions): RequestHandler =>
  (request, _response, next) => {
    const { origin } = request.headers;
    const isOwn = origin === undefined || origin === options.publicUrl || options.corsOrigins.includes(origin);
    next(isOwn ? undefined : foreignPage(options, request));
  };

/** A cookie is nobody. @throws UNAUTHENTICATED */
export const requireToken =
  ({ bringsToken }: OriginOptions): RequestHandler =>
  ({ headers }, _response, next) =>
    next(bringsToken(headers) ? undefined : unauthenticated());

/** Sent by the Yoga and Apollo clients. */
const preflightHeaders = ['x-graphql-yoga-csrf', 'apollo-require-preflight'];

/** Fetch Metadata. */
const isOfOtherPage = ({ headers }: Request) =>
  ['cross-site', 'same-site'].includes([headers['sec-fetch-site']].flat()[0] ?? '');

/**
 * Refuses requests that a form, link or EventSource of another site could send with the cookie. A JSON content type or
 * one of {@link preflightHeaders} forces a preflight and passes. A GET changes nothing and passes, except from a
 * foreign page.
 */
export const refuseFormsAndLinks =
  (options: OriginOptions): RequestHandler =>
  (request, _response, next) => {
    const { method, headers } = request;
    if (options.bringsToken(headers)) return next();
    if (isOneOf(headers['content-type'], graphqlRequestTypes)) return next();
    if (preflightHeaders.some((name) => headers[name] !== undefined)) return next();
    const isForeign =
      headers.origin === undefined ? isOfOtherPage(request) : !isAllowedOrigin(headers.origin, headers.host, options);
    if (method === 'GET' && !isForeign) return next();
    options.securityLog.event('malicious_cors', sourceOf(request), { reason: 'no_preflight' });
    next(
      forbidden(
        `Send the header ${preflightHeaders[0]}: it shows that the request does not come from a form or link of another site`,
      ),
    );
  };
