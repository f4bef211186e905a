import { forbidden } from '../../platform/errors.ts';
import type { CredentialKind } from '../credential-kind.ts';
import { canBeToken, keyOfToken } from './token.ts';

const bearer = /^Bearer(?: +|$)/i;

/** RFC 6750. */
export const accessToken: CredentialKind = {
  secretIn: ({ authorization }) =>
    authorization !== undefined && bearer.test(authorization) ? authorization.replace(bearer, '').trim() : undefined,
  program: {
    isWellFormed: canBeToken,
    keyOf: keyOfToken,
    isAmbient: false,
    refusal: () => forbidden('An access token cannot start a session'),
  },
};
