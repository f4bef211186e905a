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

const prefix = 'appl_';
const codeForm = /^tgc_(?<grant>\w+)\.(?<signature>[\w-]+)$/;
const refreshForm = /^tgr_(?<grant>\w+)\.(?<number>\d{1,9})\.(?<signature>[\w-]+)$/;

const textOf = (grantId: string) => grantId.slice(prefix.length);

export const newCode = (secret: string, grantId: string, { redirectUri, challenge }: Binding): string =>
  `tgc_${textOf(grantId)}.${sign(secret, purposes.code, grantId, redirectUri, challenge)}`;

/** Undefined if malformed, or of another exchange. */
export const readCode = (secrets: readonly string[], code: string, { redirectUri, challenge }: Binding) =>
  read(secrets, purposes.code, codeForm.exec(code), () => [redirectUri, challenge]);

/** Undefined if malformed. */
export const readRefreshToken = (secrets: readonly string[], token: string) =>
  read(secrets, purposes.refresh, refreshForm.exec(token), (number) => [number]);

function read(
  secrets: readonly string[],
  purpose: string,
  form: RegExpExecArray | null,
  boundTo: (number: string) => readonly string[],
): Presented | undefined {
  const { grant = '', number = '0', signature = '' } = form?.groups ?? {};
  const grantId = `${prefix}${grant}`;
  const isOwn = isId('Application', grantId) && isSigned(secrets, signature, purpose, grantId, ...boundTo(number));
  return isOwn ? { grantId, number: Number(number) } : undefined;
}

/** RFC 7636, 4.6. */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** With the hash of the access token's row. */
export function pairOf(secret: string, grantId: string, number: number) {
  const signed = (purpose: string) => sign(secret, purpose, grantId, String(number));
  const accessToken = tokenFrom(Buffer.from(purposes.access.map(signed).join(''), 'base64url'));
  const refreshToken = `tgr_${textOf(grantId)}.${number}.${signed(purposes.refresh)}`;
  return { accessToken, refreshToken, hash: keyOfToken(accessToken) };
}
