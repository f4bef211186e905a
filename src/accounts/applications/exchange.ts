import { networksOf } from '@taskgate/limits';
import type { TokenScope } from '../../generated/prisma/client.ts';
import type { Context } from '../../platform/context.ts';
import type { Database } from '../../platform/database.ts';
import { newId } from '../../platform/ids.ts';
import { transaction } from '../../platform/transaction.ts';
import type { EndedToken } from '../tokens/data.ts';
import { afterTokensEnd } from '../tokens/rules.ts';
import { keyOfToken } from '../tokens/token.ts';
import { type Client, keyOfClient, readClient } from './clients.ts';
import * as data from './data.ts';
import { invalidRequest, OAuthError } from './errors.ts';
import { type Parameters, requireOnce, requireResource, scopesOf } from './requests.ts';
import { challengeOf, pairOf, type Presented, readCode, readRefreshToken } from './secrets.ts';

const invalidGrant = () =>
  new OAuthError('invalid_grant', 'The code or refresh token is unknown, used, expired, or of another client.');

/** @throws OAuthError */
function required({ values }: Parameters, name: string): string {
  const value = values.get(name);
  if (value === undefined) throw invalidRequest(`${name} is missing.`);
  return value;
}

/** @throws OAuthError */
function clientOf({ services: { secrets } }: Context, id: string): Client {
  const client = readClient(secrets, id);
  if (!client) throw new OAuthError('invalid_client', 'client_id is not of a client that registered here.', 401);
  return client;
}

/** Runs the work of a client, which has no session. */
const inGrant = <Result>({ services, clientAddress }: Context, id: string, work: (tx: Database) => Promise<Result>) =>
  transaction(services.connections, [id], work, { id: networksOf(clientAddress) });

/** Exchanges a code or a refresh token for tokens (RFC 6749, 5.1). @throws OAuthError; UNAVAILABLE */
export async function exchange(context: Context, parameters: Parameters) {
  const { values, repeated } = parameters;
  const { secrets } = context.services;
  requireOnce(repeated);
  const type = required(parameters, 'grant_type');
  const isCode = type === 'authorization_code';
  if (!isCode && type !== 'refresh_token')
    throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.');
  const client = clientOf(context, required(parameters, 'client_id'));
  const presented = isCode
    ? readCode(secrets, required(parameters, 'code'), {
        // RFC 6749, 4.1.3. OAuth 2.1 would let a client leave it out.
        redirectUri: values.get('redirect_uri') ?? '',
        challenge: challengeOf(required(parameters, 'code_verifier')),
      })
    : readRefreshToken(secrets, required(parameters, 'refresh_token'));
  requireResource(context.publicUrl, parameters);
  if (!presented) throw invalidGrant();
  const scope = isCode ? undefined : values.get('scope');
  const { grantId } = presented;
  const result = await inGrant(context, grantId, (tx) => answer(secrets, tx, { presented, client, scope }));
  if (!Array.isArray(result)) return result;
  await afterTokensEnd(result, context);
  throw invalidGrant();
}

interface Exchange {
  presented: Presented;
  client: Client;
  scope: string | undefined;
}

/** @returns the tokens that have ended if the secret was used before, unless its answer may be repeated */
async function answer(
  secrets: readonly string[],
  tx: Database,
  { presented: { grantId, number }, client, scope }: Exchange,
) {
  const grant = await data.lockGrant(tx, grantId);
  if (grant?.client !== keyOfClient(client)) throw invalidGrant();
  const pairs = secrets.map((secret) => pairOf(secret, grantId, number + 1));
  // After a restored backup, the newest refresh token has a larger number than the grant.
  const isFirstUse = number === 0 ? grant.number === 0 : number >= grant.number;
  const hashes = pairs.map(({ hash }) => hash);
  const token = { id: newId('AccessToken'), hash: hashes[0] ?? '', number: number + 1 };
  const issued = isFirstUse
    ? await data.insertAccessToken(tx, grantId, { ...token, scopes: narrowed(grant.scopes, scope) })
    : number > 0 && (await data.findRepeated(tx, grantId, hashes));
  const given = issued ? pairs.find(({ hash }) => hash === issued.hash) : undefined;
  if (!issued || !given) return data.endGrant(tx, grantId);
  return {
    access_token: given.accessToken,
    token_type: 'Bearer',
    expires_in: issued.expiresIn,
    refresh_token: given.refreshToken,
    scope: issued.scopes.map((each) => each.toLowerCase()).join(' '),
  };
}

/** @throws OAuthError for more than was granted (RFC 6749, 6) */
function narrowed(granted: TokenScope[], scope: string | undefined): TokenScope[] {
  const scopes = scope === undefined ? granted : scopesOf(scope);
  if (scopes.some((each) => !granted.includes(each)))
    throw new OAuthError('invalid_scope', 'scope must not have more than was granted.');
  return scopes;
}

/** Ends the grant of a token, unless it is of another client (RFC 7009). Succeeds for every other text. @throws OAuthError; UNAVAILABLE */
export async function revoke(context: Context, parameters: Parameters): Promise<void> {
  requireOnce(parameters.repeated);
  const token = required(parameters, 'token');
  const clientId = parameters.values.get('client_id');
  const client = clientId === undefined ? undefined : clientOf(context, clientId);
  const { connections, secrets } = context.services;
  const grantId = readRefreshToken(secrets, token)?.grantId ?? (await data.findGrantOf(connections, keyOfToken(token)));
  if (grantId == null) return;
  const ended = await inGrant(context, grantId, async (tx): Promise<EndedToken[]> => {
    const grant = await data.lockGrant(tx, grantId);
    const isOwn = grant && (!client || grant.client === keyOfClient(client));
    return isOwn ? data.endGrant(tx, grantId) : [];
  });
  await afterTokensEnd(ended, context);
}
