import { createHash } from 'node:crypto';
import { isSigned, sign } from '../../platform/sealing.ts';
import { isId } from '../../platform/ids.ts';
import { keyOfToken, tokenFrom } from '../tokens/token.ts';

// Codes and refresh tokens are signed, and access tokens of a grant are derived from its id and their number. A repeated
// request thus gets the same answer, and no secret is stored.

const purposes = {
  code: 'authorization codes',
  refresh: 'refresh tokens',
  access: ['access tokens of applications, first half', 'access tokens of applications, second half'],
} as const;

/** A secret that a client presents. */
export interface Presented {
  grantId: string;
  /** The newest refresh token has the number of the grant. A code is number 0. */
  number: number;
}

/** Of the rest of the exchange: only the client that began it can complete it. */
export interface Binding {
  /** As in both requests; empty if absent. */
  redirectUri: string;
  challenge: string;
}

const codeForm = /^tgc_(\w+)\.([\w-]+)$/;
const refreshForm = /^tgr_(\w+)\.(\d{1,9})\.([\w-]+)$/;

const idOf = (text: string) => `appl_${text}`;
const textOf = (grantId: string) => grantId.slice('appl_'.length);

export const newCode = (secret: string, grantId: string, { redirectUri, challenge }: Binding): string =>
  `tgc_${textOf(grantId)}.${sign(secret, purposes.code, grantId, redirectUri, challenge)}`;

/** Undefined if malformed, or of another exchange. */
export function readCode(
  secrets: readonly string[],
  code: string,
  { redirectUri, challenge }: Binding,
): Presented | undefined {
  const [, text = '', signature = ''] = codeForm.exec(code) ?? [];
  const grantId = idOf(text);
  const isOwn =
    isId('Application', grantId) && isSigned(secrets, signature, purposes.code, grantId, redirectUri, challenge);
  return isOwn ? { grantId, number: 0 } : undefined;
}

/** Undefined if malformed. */
export function readRefreshToken(secrets: readonly string[], token: string): Presented | undefined {
  const [, text = '', number = '', signature = ''] = refreshForm.exec(token) ?? [];
  const grantId = idOf(text);
  const isOwn = isId('Application', grantId) && isSigned(secrets, signature, purposes.refresh, grantId, number);
  return isOwn ? { grantId, number: Number(number) } : undefined;
}

/** RFC 7636, 4.6. */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

export interface TokenPair {
  accessToken: string;
  refreshToken: string;
  /** Of the row of the access token. */
  hash: string;
}

export function pairOf(secret: string, grantId: string, number: number): TokenPair {
  const signed = (purpose: string) => sign(secret, purpose, grantId, String(number));
  const accessToken = tokenFrom(Buffer.from(purposes.access.map(signed).join(''), 'base64url'));
  const refreshToken = `tgr_${textOf(grantId)}.${number}.${signed(purposes.refresh)}`;
  return { accessToken, refreshToken, hash: keyOfToken(accessToken) };
}
