import { createHash } from 'node:crypto';

const bearer = /^Bearer(?: +|$)/i;

/** Returns the bearer token of an `Authorization` header (RFC 6750), unvalidated. Undefined for another scheme. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  authorization !== undefined && bearer.test(authorization) ? authorization.replace(bearer, '').trim() : undefined;

/** Returns the hash that an access token is looked up by. Tokens themselves are not stored. */
export const keyOfToken = (token: string): string => createHash('sha256').update(token).digest('base64url');
