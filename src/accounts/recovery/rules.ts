import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import { networksOf } from '@taskgate/limits';
import { mapConstraintError } from '@taskgate/postgres';
import { type Context, signedIn } from '../../platform/context.ts';
import type { Database } from '../../platform/database.ts';
import { transaction } from '../../platform/transaction.ts';
import { lockSpaces, write } from '../../platform/write.ts';
import { parse } from '../../platform/input.ts';
import * as mails from '../../notifications/mails/account-mails.ts';
import { attempt, countsOfNetworks, forgive } from '../sign-in/attempts.ts';
import { redeemCode, voidCodes } from '../codes/data.ts';
import { requireRightCode, sendCode, wrongCode } from '../codes/rules.ts';
import { findAccount, findCredentials } from '../profile/data.ts';
import { email as emailShape } from '../input.ts';
import { requireAccepted } from '../sign-in/password-policy.ts';
import { withHasher } from '../sign-in/passwords.ts';
import type { CodeSubject } from '../codes/secrets.ts';
import { afterEnd } from '../sessions/end.ts';
import { requireRecentAuthentication } from '../sessions/rules.ts';
import { endAllTokens } from '../tokens/data.ts';
import { afterTokensEnd } from '../tokens/rules.ts';
import { labelOf } from '../providers/rules.ts';
import { reportChange } from './ways-in.ts';
import { findOtherWaysIn } from './ways-in-data.ts';
import * as data from './data.ts';
import * as input from './input.ts';

const resetOf = (email: string): CodeSubject => ({ purpose: 'PASSWORD_RESET', subject: email });
const changeOf = (userId: string): CodeSubject => ({ purpose: 'EMAIL_CHANGE', subject: userId });

/** Response and work are the same without an account. @throws VALIDATION_FAILED, RATE_LIMITED */
export async function requestPasswordReset(context: Context, rawEmail: unknown): Promise<void> {
  const email = parse(emailShape, rawEmail, 'email');
  await sendCode(context, resetOf(email), email, async (tx, code) => {
    const account = await findAccount(tx, email);
    const withheld = account ? undefined : 'The address has no account.';
    return { mail: mails.resetCodeMail(code), hasCode: true, userId: account?.id, withheld };
  });
}

/**
 * Works even if no password was set. Ends all sessions, tokens and requests for a new address, on request
 * also other ways to sign in.
 * @throws VALIDATION_FAILED, also for a wrong, expired or used code; RATE_LIMITED
 */
export async function resetPassword(context: Context, rawInput: z.input<typeof input.resetPassword>): Promise<void> {
  const { email, code, password, endOtherWaysIn } = parse(input.resetPassword, rawInput);
  const { connections, mailer, securityLog, accounts } = context.services;
  requireAccepted(accounts.passwordPolicy, password);
  const codeSubject = resetOf(email);
  await requireRightCode(context, codeSubject, code);
  const passwordHash = await withHasher(context, (passwords) => passwords.hash(password));
  const account = await findCredentials(connections.db, { email });
  const spaces = account ? [account.id] : [];
  const reset = async (tx: Database) => {
    // Concurrent additions end as well.
    await lockSpaces(tx, spaces);
    const redeemed = await redeemCode(tx, accounts.secret, codeSubject, code);
    const done = redeemed && (await data.resetPassword(tx, email, passwordHash));
    if (!done) throw wrongCode(context, codeSubject);
    await forgive(tx, { limit: accounts.limits.signInFailuresOfAddress, subject: email });
    const { userId } = done;
    await voidCodes(tx, changeOf(userId));
    const ways = await findOtherWaysIn(tx, userId);
    if (endOtherWaysIn) await data.endOtherWaysIn(tx, userId);
    const labelled = ways.map((way) => ({
      ...way,
      name: way.kind === 'provider' ? labelOf(context, way.name) : way.name,
    }));
    const mail = mails.passwordResetMail({ ways: labelled, haveEnded: endOtherWaysIn === true });
    await reportChange(context, tx, { id: userId, email }, mail);
    return { ...done, tokens: await endAllTokens(tx, userId), ended: endOtherWaysIn ? ways : [] };
  };
  const done = await transaction(connections, [...spaces, email], reset, { id: networksOf(context.clientAddress) });
  const { userId, sessions, tokens, ended } = done;
  mailer.wake();
  securityLog.event('authn_password_reset', context, { userId });
  for (const { kind, name } of ended) {
    if (kind === 'provider') securityLog.event('authn_provider_unlinked', context, { userId, provider: name });
    else securityLog.event('authn_factor_change', context, { userId, factor: 'passkey', change: 'removed' });
  }
  await afterEnd(sessions, 'password_reset', context);
  await afterTokensEnd(tokens, context);
}

/**
 * Mails a code to the new address. If it is taken, the mail says so and the response is the same.
 * @throws VALIDATION_FAILED, also for a wrong password, which counts as a failed sign-in; REAUTHENTICATION_REQUIRED if
 *   none is set and the sign-in is not recent; RATE_LIMITED
 */
export async function requestEmailChange(
  context: Context,
  rawInput: z.input<typeof input.requestEmailChange>,
): Promise<void> {
  const { id } = signedIn(context);
  const { email, password } = parse(input.requestEmailChange, rawInput);
  await requireOwner(context, password ?? '');
  await sendCode(context, changeOf(id), email, async (tx, code) => {
    const isTaken = (await findAccount(tx, email)) !== null;
    return { mail: isTaken ? mails.emailTakenMail() : mails.emailCodeMail(code), hasCode: !isTaken };
  });
}

async function requireOwner(context: Context, password: string): Promise<void> {
  const { connections, id } = signedIn(context);
  const account = await findCredentials(connections.db, { id });
  const passwordHash = account?.passwordHash ?? null;
  if (!account || passwordHash === null) return requireRecentAuthentication(context);
  const { signInFailuresOfAddress, signInFailuresOfClient } = context.services.accounts.limits;
  const isRight = await attempt(
    context,
    [{ limit: signInFailuresOfAddress, subject: account.email }, ...countsOfNetworks(signInFailuresOfClient, context)],
    async (passwords) => ((await passwords.verify(password, passwordHash)) ? true : null),
  );
  if (isRight) return;
  context.services.securityLog.event('authn_login_fail', context, { userId: id });
  throw invalid('password', 'must be the current password');
}

/**
 * Moves the account to the code's recipient and notifies the old address.
 * @throws VALIDATION_FAILED for a wrong code or a taken address; RATE_LIMITED; UNAUTHENTICATED
 */
export async function confirmEmailChange(
  context: Context,
  rawInput: z.input<typeof input.confirmEmailChange>,
): Promise<void> {
  const viewer = signedIn(context);
  const { code } = parse(input.confirmEmailChange, rawInput);
  const { mailer, securityLog, accounts } = context.services;
  const codeSubject = changeOf(viewer.id);
  await requireRightCode(context, codeSubject, code);
  // Their members see the change.
  for (const id of viewer.spaceIds) viewer.written?.add(id);
  const change = async (tx: Database) => {
    const redeemed = await redeemCode(tx, accounts.secret, codeSubject, code);
    if (!redeemed) throw wrongCode(context, codeSubject);
    const former = await data.changeEmail(tx, viewer.id, redeemed.email);
    await voidCodes(tx, resetOf(former));
    await reportChange(context, tx, { id: viewer.id, email: former }, mails.emailChangedMail);
  };
  const addressTaken = () => invalid('code', 'was sent to an address that now has an account');
  await write(viewer, { ids: [viewer.id] }, change).catch(mapConstraintError('duplicate', addressTaken));
  mailer.wake();
  securityLog.event('authn_email_change', context, {});
}
