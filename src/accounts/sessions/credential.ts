import type { CredentialHeaders, CredentialKind } from '../credential-kind.ts';

/** Reads the cookie `s:<id>.<signature>`. The id is a secret, which suffices to refuse its holder. */
function sessionIdIn({ cookie = '' }: CredentialHeaders): string | undefined {
  const [, value] = /(?:^|;)[ \t]*sid[ \t]*=[ \t]*"?([^;"]*)/.exec(cookie) ?? [];
  if (value === undefined) return undefined;
  try {
    return /^s:(.+)\./.exec(decodeURIComponent(value))?.[1];
  } catch {
    return undefined;
  }
}

export const session: CredentialKind = { secretIn: sessionIdIn };
