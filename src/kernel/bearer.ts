import { createHash } from 'node:crypto';

const bearer = /^Bearer(?: +|$)/i;

/** What an `Authorization` header has as a bearer token (RFC 6750), whatever that is; undefined where it is of another scheme. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  authorization !== undefined && bearer.test(authorization) ? authorization.replace(bearer, '').trim() : undefined;

/** The key that an access token is looked up by: its hash, as tokens are not stored. */
export const keyOfToken = (token: string): string => createHash('sha256').update(token).digest('base64url');
