import type { TokenScope } from '../../generated/prisma/client.ts';
import { type Client, readClient } from './clients.ts';
import { invalidRequest, OAuthError } from './errors.ts';
import { hostOf, isLocal, matches, withParameters } from './redirect-uris.ts';
import { newCode } from './secrets.ts';

export interface Parameters {
  /** Without the empty ones (RFC 6749, 3.1). */
  values: ReadonlyMap<string, string>;
  repeated: ReadonlySet<string>;
}

export function parametersOf(text: string): Parameters {
  const all = [...new URLSearchParams(text)];
  const names = new Set<string>();
  const repeated = new Set<string>();
  for (const [name] of all) (names.has(name) ? repeated : names).add(name);
  return { values: new Map(all.filter(([, value]) => value !== '').reverse()), repeated };
}

/** Ignores unknown scopes. @throws OAuthError if none is left */
export function scopesOf(text: string): TokenScope[] {
  const words = text.split(' ');
  if (words.includes('write')) return ['READ', 'WRITE'];
  if (words.includes('read')) return ['READ'];
  throw new OAuthError('invalid_scope', 'scope must have read or write.');
}

/** @throws OAuthError for another service (RFC 8707, 2) */
export function requireResource(publicUrl: string, { values }: Parameters): void {
  const resource = values.get('resource')?.replace(/\/$/, '');
  if (resource !== undefined && ![publicUrl, `${publicUrl}/mcp`].includes(resource))
    throw new OAuthError('invalid_target', `resource must be ${publicUrl} or ${publicUrl}/mcp.`);
}

export interface ApplicationRequest {
  client: Client;
  name: string;
  redirectHost: string;
  isLocal: boolean;
  scopes: TokenScope[];
  /** Null: the user decides. */
  redirectTo: string | null;
  cancelTo: string;
  redirectWithCode: (grantId: string) => string;
}

/** Base64url of SHA-256 (RFC 7636, 4.2). */
const challengeForm = /^[\w-]{43}$/;

/**
 * Reads the query of `/oauth/authorize` (RFC 6749, 4.1.1).
 * @returns undefined if the client or its redirect URI is wrong: then the browser must not be redirected
 */
export function readRequest(
  { secret, secrets }: { secret: string; secrets: readonly string[] },
  publicUrl: string,
  query: string,
): ApplicationRequest | undefined {
  const parameters = parametersOf(query);
  const { values, repeated } = parameters;
  const client = readClient(secrets, values.get('client_id') ?? '');
  const [only, ...others] = client?.redirectUris ?? [];
  const target = values.get('redirect_uri') ?? (others.length === 0 ? only : undefined);
  if (!client || target === undefined || repeated.has('client_id') || repeated.has('redirect_uri')) return undefined;
  if (!client.redirectUris.some((registered) => matches(registered, target))) return undefined;
  const redirectWith = (answer: Readonly<Record<string, string>>) =>
    withParameters(target, { ...answer, state: values.get('state'), iss: publicUrl });
  const binding = { redirectUri: values.get('redirect_uri') ?? '', challenge: values.get('code_challenge') ?? '' };
  const request: ApplicationRequest = {
    client,
    name: client.name,
    redirectHost: hostOf(target),
    isLocal: isLocal(target),
    scopes: [],
    redirectTo: null,
    cancelTo: redirectWith({ error: 'access_denied' }),
    redirectWithCode: (grantId) => redirectWith({ code: newCode(secret, grantId, binding) }),
  };
  try {
    request.scopes = scopesOf(values.get('scope') ?? 'read');
    requireWellFormed(parameters);
    requireResource(publicUrl, parameters);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    request.redirectTo = redirectWith({ error: error.code, error_description: error.message });
  }
  return request;
}

/** @throws OAuthError */
function requireWellFormed({ values, repeated }: Parameters): void {
  requireOnce(repeated);
  const type = values.get('response_type');
  if (type === undefined) throw invalidRequest('response_type is missing.');
  if (type !== 'code') throw new OAuthError('unsupported_response_type', 'response_type must be code.');
  if (values.get('code_challenge_method') !== 'S256' || !challengeForm.test(values.get('code_challenge') ?? ''))
    throw invalidRequest('code_challenge is required, with the code_challenge_method S256.');
}

/** @throws OAuthError (RFC 6749, 3.1 and 3.2) */
export function requireOnce(repeated: ReadonlySet<string>): void {
  if (repeated.size > 0) throw invalidRequest('A parameter is there twice.');
}
