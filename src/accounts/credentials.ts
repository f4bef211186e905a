import type { CredentialHeaders, CredentialKind } from './credential-kind.ts';
import { session } from './sessions/credential.ts';
import { accessToken } from './tokens/credential.ts';

/** Kinds by the column `kind` of the view `credentials`. A request has the first one that it brings. */
const kinds = { token: accessToken, session } as const satisfies Record<string, CredentialKind>;

export type CredentialName = keyof typeof kinds;

const programs = Object.entries(kinds as Record<CredentialName, CredentialKind>).flatMap(
  ([name, { secretIn, program }]) => (program ? [{ name: name as CredentialName, secretIn, program }] : []),
);

/** The credential of a program, unverified. */
export function broughtBy(headers: CredentialHeaders) {
  for (const { name, secretIn, program } of programs) {
    const secret = secretIn(headers);
    if (secret !== undefined) return { name, program, secret };
  }
  return undefined;
}

export type Brought = NonNullable<ReturnType<typeof broughtBy>>;

/** Key of the credential that a request brings, unverified. */
export function keyIn(headers: CredentialHeaders): string | undefined {
  const brought = broughtBy(headers);
  return brought ? brought.program.keyOf(brought.secret) : session.secretIn(headers);
}

/** Whether a request brings a credential that no form, link or page sends without a preflight. */
export const bringsToken = (headers: CredentialHeaders): boolean => broughtBy(headers)?.program.isAmbient === false;
