import { createHash } from 'node:crypto';

const bearer = /^Bearer(?: +|$)/i;

/** Returns the unvalidated bearer token (RFC 6750). Undefined for another scheme. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  authorization !== undefined && bearer.test(authorization) ? authorization.replace(bearer, '').trim() : undefined;

/** Tokens themselves are not stored. */
export const keyOfToken = (token: string): string => createHash('sha256').update(token).digest('base64url');
