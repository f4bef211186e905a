import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import { mapConstraintError } from '@taskgate/postgres';
import { type Context, notCached, signedIn } from '../../platform/context.ts';
import { transaction } from '../../platform/transaction.ts';
import { notFound } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { parse } from '../../platform/input.ts';
import { findCredentials } from '../profile/data.ts';
import { changes, waysInChangedMail } from '../../notifications/mails/account-mails.ts';
import { insertPending, takePending } from '../sign-in/pending-data.ts';
import { insertSession } from '../sign-in/data.ts';
import { requireRecentAuthentication } from '../sessions/rules.ts';
import { completeSignIn, originOf } from '../sign-in/rules.ts';
import { changeWaysIn } from '../recovery/ways-in.ts';
import { countWaysIn } from '../recovery/ways-in-data.ts';
import * as data from './data.ts';
import * as input from './input.ts';
import { challengeOf, hasStorableSize, isUncertified, userHandleOf } from './responses.ts';

/** Loaded at the first use: it would add a quarter to the startup. */
const webauthn = () => import('@simplewebauthn/server');

const challengeSeconds = 5 * 60;

/** @param userId empty for a sign-in, by any account */
const keyOf = (challenge: string, userId: string) => ['passkey', userId, challenge];

const relyingPartyOf = ({ publicUrl }: Context) => new URL(publicUrl).hostname;

const maxPasskeys = 50;

export type Passkey = Awaited<ReturnType<typeof data.findPasskeys>>[number];

/** Lists passkeys by creation. No revision covers them. */
export function passkeysOf(context: Context, userId: string): Promise<Passkey[]> {
  notCached(context);
  return data.findPasskeys(context.services.connections, userId);
}

/**
 * Returns options for the browser.
 * @throws REAUTHENTICATION_REQUIRED; VALIDATION_FAILED at 50 passkeys
 */
export async function startRegistration(context: Context): Promise<object> {
  const { id, connections } = signedIn(context);
  await requireRecentAuthentication(context);
  const [account, passkeys] = await Promise.all([
    findCredentials(connections.db, { id }),
    data.findPasskeys(connections, id),
  ]);
  requireRoom(passkeys.length);
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: 'Taskgate',
    rpID: relyingPartyOf(context),
    userID: new TextEncoder().encode(id),
    userName: account?.email ?? '',
    attestationType: 'none',
    excludeCredentials: passkeys.map(({ credentialId }) => ({ id: credentialId })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await insertPending(connections, keyOf(options.challenge, id), challengeSeconds, {});
  return options;
}

function requireRoom(count: number): void {
  if (count >= maxPasskeys) throw invalid('', `An account has at most ${maxPasskeys} passkeys`);
}

/** Makes the same error for all failures. */
function refused(context: Context) {
  context.services.securityLog.event('authn_factor_fail', context, { factor: 'passkey' });
  return invalid('response', 'is invalid, or its challenge is older than five minutes: start again');
}

/** Uses up the challenge. @throws VALIDATION_FAILED if it is unknown, used or expired */
async function expectedOf(context: Context, response: Parameters<typeof challengeOf>[0], userId: string) {
  const challenge = challengeOf(response);
  if (challenge === undefined || !(await takePending(context.services.connections, keyOf(challenge, userId))))
    throw refused(context);
  return {
    expectedChallenge: challenge,
    expectedOrigin: context.publicUrl,
    expectedRPID: relyingPartyOf(context),
    requireUserVerification: true,
  };
}

const toUndefined = () => undefined;

/**
 * Stores the passkey, and mails a report.
 * @throws VALIDATION_FAILED if the response is invalid or already registered, or at 50 passkeys
 */
export async function finishRegistration(
  context: Context,
  rawInput: z.input<typeof input.finishRegistration>,
): Promise<Passkey> {
  const viewer = signedIn(context);
  const { id: userId } = viewer;
  const { response, name } = parse(input.finishRegistration, rawInput);
  const expected = await expectedOf(context, response, userId);
  if (!(await isUncertified(response))) throw refused(context);
  const { verifyRegistrationResponse } = await webauthn();
  const checked = await verifyRegistrationResponse({ response, ...expected }).catch(toUndefined);
  if (!checked?.verified) throw refused(context);
  const { credential } = checked.registrationInfo;
  if (!hasStorableSize(credential)) throw refused(context);
  const { id: credentialId, publicKey, counter, transports = [] } = credential;
  const passkey = { id: newId('Passkey'), userId, name, credentialId, publicKey, counter, transports };
  const mail = () => waysInChangedMail(changes.passkeyAdded(name));
  const made = await changeWaysIn(context, viewer, mail, async (tx) => {
    requireRoom(await data.countPasskeys(tx, userId));
    return data.insertPasskey(tx, passkey);
  }).catch(mapConstraintError('duplicate', () => invalid('response', 'is from a passkey that is already registered')));
  context.services.securityLog.event('authn_factor_change', context, {
    userId: viewer.id,
    factor: 'passkey',
    change: 'added',
  });
  return made;
}

/** Returns options for the browser. @throws RATE_LIMITED */
export async function startSignIn(context: Context): Promise<object> {
  await context.services.accounts.limits.passkeySignInsOfClient.consume(context.clientAddress);
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({ rpID: relyingPartyOf(context), userVerification: 'required' });
  await insertPending(context.services.connections, keyOf(options.challenge, ''), challengeSeconds, {});
  return options;
}

/** A passkey counts as both factors. @throws VALIDATION_FAILED */
export async function finishSignIn(context: Context, rawInput: z.input<typeof input.finishSignIn>): Promise<string> {
  const { response } = parse(input.finishSignIn, rawInput);
  const expected = await expectedOf(context, response, '');
  const passkey = await data.findCredential(context.services.connections, response.id);
  // Nothing else names the account (Level 2, 7.2, step 6).
  if (!passkey || response.response.userHandle !== userHandleOf(passkey.user.id)) throw refused(context);
  const { id, user, credentialId, publicKey } = passkey;
  const credential = { id: credentialId, publicKey, counter: Number(passkey.counter) };
  const { verifyAuthenticationResponse } = await webauthn();
  const checked = await verifyAuthenticationResponse({ response, credential, ...expected }).catch(toUndefined);
  if (!checked?.verified) throw refused(context);
  const { newCounter } = checked.authenticationInfo;
  const session = await transaction(context.services.connections, [user.id], async (tx) =>
    (await data.usePasskey(tx, id, newCounter))
      ? insertSession(tx, { userId: user.id, passwordHash: undefined, ...originOf(context, user.id) })
      : null,
  );
  if (!session) throw refused(context);
  return completeSignIn(context, session, user.email);
}

/**
 * Removes a passkey, and mails a report.
 * @throws REAUTHENTICATION_REQUIRED; NOT_FOUND; VALIDATION_FAILED if it is the last way to sign in
 */
export async function deletePasskey(context: Context, id: string): Promise<void> {
  const viewer = signedIn(context);
  await requireRecentAuthentication(context);
  if (!isId('Passkey', id)) throw notFound('Passkey');
  const mailOf = (name: string) => waysInChangedMail(changes.passkeyRemoved(name));
  await changeWaysIn(context, viewer, mailOf, async (tx) => {
    const ways = await countWaysIn(tx, viewer.id);
    const name = await data.deletePasskey(tx, viewer.id, id);
    if (name === undefined) throw notFound('Passkey');
    if (ways === 1) throw invalid('id', 'is the last way to sign in: set a password first');
    return name;
  });
  context.services.securityLog.event('authn_factor_change', context, {
    userId: viewer.id,
    factor: 'passkey',
    change: 'removed',
  });
}
