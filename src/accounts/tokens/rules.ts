import type { z } from 'zod';
import { invalid, unauthenticated } from '@taskgate/base';
import { transaction } from '../../platform/transaction.ts';
import { type Context, notCached, signedIn, type Viewer } from '../../platform/context.ts';
import type { Database } from '../../platform/database.ts';
import { notFound } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { parse } from '../../platform/input.ts';
import { requireMember } from '../../platform/policy.ts';
import { changes, waysInChangedMail } from '../../notifications/mails/account-mails.ts';
import * as input from '../input.ts';
import { afterEndOf } from '../sessions/end.ts';
import { requireRecentAuthentication } from '../sessions/rules.ts';
import * as data from './data.ts';
import { keyOfToken, newToken } from './token.ts';
import { changeWaysIn, reportChange } from '../recovery/ways-in.ts';
import { addressOf } from '../recovery/ways-in-data.ts';

export { type AccessToken } from './data.ts';

const maxTokens = 100;

/** No revision covers them. */
export function tokensOf(context: Context, userId: string, kind: data.TokenKind): Promise<data.AccessToken[]> {
  notCached(context);
  return data.findTokens(signedIn(context), userId, kind);
}

const remedies: Readonly<Record<data.TokenKind, string>> = {
  token: 'access tokens: revoke one first',
  application: 'applications: disconnect one first',
};

/** @throws VALIDATION_FAILED at 100 of the kind */
export async function requireRoom(tx: Database, { id }: Viewer, kind: data.TokenKind): Promise<void> {
  if ((await data.countTokens(tx, id, kind)) >= maxTokens)
    throw invalid('', `You cannot have more than ${maxTokens} ${remedies[kind]}`);
}

/**
 * Creates an access token.
 * @returns the secret, which is not stored, and the token
 * @throws REAUTHENTICATION_REQUIRED; VALIDATION_FAILED, also at 100 tokens; UNAUTHENTICATED
 */
export async function createToken(context: Context, rawInput: z.input<typeof input.accessToken>) {
  const viewer = signedIn(context);
  await requireRecentAuthentication(context);
  const { name, scopes, spaceIds, expiresAt } = parse(input.accessToken, rawInput, 'input');
  requireMember(viewer, spaceIds, 'input.spaceIds');
  const token = newToken();
  const mail = () => waysInChangedMail(changes.tokenMade(name));
  const made = await changeWaysIn(context, viewer, mail, async (tx) => {
    await requireRoom(tx, viewer, 'token');
    return data.insertToken(tx, {
      hash: keyOfToken(token),
      id: newId('AccessToken'),
      userId: viewer.id,
      name,
      scopes: [...new Set(scopes)],
      spaceIds: spaceIds ? [...new Set(spaceIds)] : null,
      expiresAt: expiresAt ?? null,
    });
  });
  if (!made) throw invalid('input.expiresAt', 'must be in the future');
  context.services.securityLog.event('authn_token_created', context, { tokenId: made.id });
  return { token, accessToken: made };
}

/** Ends a token with its connections and webhooks. @throws NOT_FOUND, UNAUTHENTICATED */
export const revokeToken = (context: Context, id: string): Promise<void> =>
  revoke(context, 'AccessToken', id, changes.tokenRevoked);

/** Ends a grant with the tokens of the application. @throws NOT_FOUND, UNAUTHENTICATED */
export const revokeApplication = (context: Context, id: string): Promise<void> =>
  revoke(context, 'Application', id, changes.applicationRevoked);

async function revoke(
  context: Context,
  type: 'AccessToken' | 'Application',
  id: string,
  reportOf: (name: string) => string,
): Promise<void> {
  const viewer = signedIn(context);
  if (!isId(type, id)) throw notFound(type);
  // A separate key does not wait for other writes.
  const ended = await transaction(viewer.connections, [id], async (tx) => {
    const tokens = await data.endTokenOf(tx, viewer, id);
    const own = tokens?.find((each) => each.id === id);
    if (own) await reportChange(context, tx, await addressOf(tx, viewer.id), waysInChangedMail(reportOf(own.name)));
    return tokens;
  });
  context.services.mailer.wake();
  if (!ended) throw unauthenticated();
  if (ended.length === 0) throw notFound(type);
  await afterTokensEnd(ended, context);
}

export async function afterTokensEnd(ended: readonly data.EndedToken[], context: Context): Promise<void> {
  const [first] = ended;
  if (!first) return;
  for (const tokenId of new Set(ended.map(({ id, grantId }) => grantId ?? id)))
    context.services.securityLog.event('authn_token_revoked', context, { userId: first.userId, tokenId });
  await afterEndOf(first.userId, 'access tokens', context, () =>
    data.deleteTokens(context.services.connections, ended),
  );
}
