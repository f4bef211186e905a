import type { z } from 'zod';
import { type Context, notCached, signedIn } from '../../kernel/context.ts';
import { mapConstraintError } from '../../database/errors.ts';
import { transaction } from '../../database/transaction.ts';
import { write } from '../../database/write.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import { isId, newId } from '../../kernel/ids.ts';
import { parse } from '../../kernel/input.ts';
import { findCredentials } from '../data.ts';
import { planFactorNotice } from '../factor-notice.ts';
import { insertSession } from '../sign-in-data.ts';
import { requireRecentAuthentication } from '../session-rules.ts';
import { completeSignIn, originOf } from '../sign-in-rules.ts';
import { countWaysIn } from '../ways-in-data.ts';
import * as data from './data.ts';
import * as input from './input.ts';
import { challengeOf, checkRegistration, checkSignIn, registrationOptions, signInOptions } from './webauthn.ts';

/** More than anybody has authenticators. */
const maxPasskeys = 50;

export type Passkey = Awaited<ReturnType<typeof data.findPasskeys>>[number];

/** An account's passkeys, by creation. No revision covers them: the answer is not cached. */
export function passkeysOf(context: Context, userId: string): Promise<Passkey[]> {
  notCached(context);
  return data.findPasskeys(userId);
}

/**
 * Options for the browser to make a passkey by; their challenge lives five minutes.
 * @throws REAUTHENTICATION_REQUIRED; VALIDATION_FAILED at 50 passkeys
 */
export async function startRegistration(context: Context): Promise<object> {
  const { id } = signedIn(context);
  await requireRecentAuthentication(context);
  const [account, known] = await Promise.all([findCredentials({ id }), data.findPasskeys(id)]);
  requireRoom(known.length);
  const options = await registrationOptions(context.publicUrl, { id, email: account?.email ?? '' }, known);
  await data.insertChallenge(options.challenge, id);
  return options;
}

function requireRoom(count: number): void {
  if (count >= maxPasskeys) throw invalid('', `An account has at most ${maxPasskeys} passkeys`);
}

/** What is said of a response that is malformed, too late, used, another account's or origin's, or signed by another key. */
function refused(context: Context) {
  context.services.securityLog.event('authn_factor_fail', context, { factor: 'passkey' });
  return invalid('response', 'does not answer a challenge of the last five minutes, or does not check: start anew');
}

/**
 * Keeps the passkey that the browser has made, and tells the user by a mail.
 * @throws VALIDATION_FAILED where the response does not check, or its credential is registered already; at 50 passkeys
 */
export async function finishRegistration(
  context: Context,
  rawInput: z.input<typeof input.finishRegistration>,
): Promise<Passkey> {
  const viewer = signedIn(context);
  const { response, name } = parse(input.finishRegistration, rawInput);
  const challenge = challengeOf(response);
  if (challenge === undefined || !(await data.takeChallenge(challenge, viewer.id))) throw refused(context);
  const credential = await checkRegistration(context.publicUrl, response, challenge);
  if (!credential) throw refused(context);
  const { id: credentialId, publicKey, counter, transports = [] } = credential;
  const owner = { id: newId('Passkey'), userId: viewer.id, name };
  const { mailer, securityLog } = context.services;
  const passkey = await write(viewer, [viewer.id], async (tx) => {
    requireRoom(await data.countPasskeys(tx, viewer.id));
    const made = await data.insertPasskey(tx, { ...owner, credentialId, publicKey, counter, transports });
    await planFactorNotice(context, tx, `The passkey “${name}” was added.`);
    return made;
  }).catch(mapConstraintError('duplicate', () => invalid('response', 'is of a passkey that is registered already')));
  mailer.wake();
  securityLog.event('authn_factor_change', context, { factor: 'passkey', change: 'added' });
  return passkey;
}

/** Options for the browser to sign in by; their challenge lives five minutes. @throws RATE_LIMITED */
export async function startSignIn(context: Context): Promise<object> {
  await context.services.accounts.limits.passkeySignInsOfClient.consume(context.clientAddress);
  const options = await signInOptions(context.publicUrl);
  await data.insertChallenge(options.challenge, null);
  return options;
}

/**
 * Signs in by a new session, whose passkey is both factors.
 * @returns whose it is
 * @throws VALIDATION_FAILED where the response does not check, its passkey is unknown, or its counter has not grown
 */
export async function finishSignIn(context: Context, rawInput: z.input<typeof input.finishSignIn>): Promise<string> {
  const { response } = parse(input.finishSignIn, rawInput);
  const challenge = challengeOf(response);
  if (challenge === undefined || !(await data.takeChallenge(challenge, null))) throw refused(context);
  const passkey = await data.findCredential(response.id);
  if (!passkey) throw refused(context);
  const { id, user, credentialId, publicKey } = passkey;
  const credential = { id: credentialId, publicKey, counter: Number(passkey.counter) };
  const counter = await checkSignIn(context.publicUrl, response, challenge, credential);
  if (counter === undefined) throw refused(context);
  const session = await transaction([user.id], async (tx) =>
    (await data.usePasskey(tx, id, counter))
      ? insertSession(tx, { userId: user.id, passwordHash: undefined, ...originOf(context, user.id) })
      : null,
  );
  if (!session) throw refused(context);
  return completeSignIn(context, session, user.email);
}

/**
 * Removes a passkey of the viewer's, and tells them by a mail.
 * @throws REAUTHENTICATION_REQUIRED; NOT_FOUND; VALIDATION_FAILED where nothing else would be left to sign in with
 */
export async function deletePasskey(context: Context, id: string): Promise<void> {
  const viewer = signedIn(context);
  await requireRecentAuthentication(context);
  if (!isId('Passkey', id)) throw notFound('Passkey');
  const { mailer, securityLog } = context.services;
  await write(viewer, [viewer.id], async (tx) => {
    const ways = await countWaysIn(tx, viewer.id);
    if (!(await data.deletePasskey(tx, viewer.id, id))) throw notFound('Passkey');
    if (ways === 1) throw invalid('id', 'is the last way to sign in: set a password first');
    await planFactorNotice(context, tx, 'A passkey was removed.');
  });
  mailer.wake();
  securityLog.event('authn_factor_change', context, { factor: 'passkey', change: 'removed' });
}
