import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import { networksOf } from '@taskgate/limits';
import { mapConstraintError, type Queryable } from '@taskgate/postgres';
import { type Context, signedIn } from '../../platform/context.ts';
import type { Database } from '../../platform/database.ts';
import { secondFactorRequired } from '../../platform/errors.ts';
import { canonicalEmail, maxEmailUnits } from '../../platform/email.ts';
import { parse } from '../../platform/input.ts';
import { transaction } from '../../platform/transaction.ts';
import {
  changes,
  codeMail,
  hasAccountMail,
  newDeviceMail,
  waysInChangedMail,
} from '../../notifications/mails/account-mails.ts';
import { createInbox } from '../../projects/rules.ts';
import { attempt, countsOfNetworks } from './attempts.ts';
import { redeemCode } from '../codes/data.ts';
import { requireRightCode, sendCode, wrongCode } from '../codes/rules.ts';
import * as data from '../profile/data.ts';
import { actorOf, deviceOf, fingerprintOf } from './device.ts';
import * as input from '../input.ts';
import { requireAccepted } from './password-policy.ts';
import { type PasswordHasher, withHasher } from './passwords.ts';
import type { CodeSubject } from '../codes/secrets.ts';
import { endExcessSessions } from '../sessions/data.ts';
import { afterEnd } from '../sessions/end.ts';
import { insertSession, type MadeSession } from './data.ts';
import { findFactor } from '../totp/rules.ts';
import { reportChange } from '../recovery/ways-in.ts';

const signUpOf = (email: string): CodeSubject => ({ purpose: 'SIGN_UP', subject: email });

/**
 * Mails a code. If the account exists, the mail says so, and the response is the same.
 * @throws VALIDATION_FAILED, RATE_LIMITED
 */
export async function requestSignUpCode(context: Context, rawEmail: unknown): Promise<void> {
  const email = parse(input.email, rawEmail, 'email');
  await sendCode(context, signUpOf(email), email, async (tx, code) => {
    const hasAccount = (await data.findAccount(tx, email)) !== null;
    return { mail: hasAccount ? hasAccountMail() : codeMail(code), hasCode: !hasAccount };
  });
}

/**
 * Creates the account with its inbox and signs in.
 * @throws VALIDATION_FAILED, RATE_LIMITED
 */
export async function signUp(context: Context, rawInput: z.input<typeof input.signUp>): Promise<string> {
  const { email, code, password } = parse(input.signUp, rawInput);
  const { accounts, connections } = context.services;
  const { secret, passwordPolicy } = accounts;
  requireAccepted(passwordPolicy, password);
  const codeSubject = signUpOf(email);
  // Slow hashing needs a right code and runs outside the transaction.
  await requireRightCode(context, codeSubject, code);
  const passwordHash = await withHasher(context, (passwords) => passwords.hash(password));
  const makeAccount = async (tx: Database) => {
    const redeemed = await redeemCode(tx, secret, codeSubject, code);
    if (!redeemed) throw wrongCode(context, codeSubject);
    const userId = await data.createUser(tx, email, passwordHash);
    if (redeemed.deliveryId !== null) await context.services.mailer.adopt(tx, redeemed.deliveryId, userId);
    await createInbox(tx, userId);
    const made = await insertSession(tx, { userId, passwordHash, ...originOf(context, userId) });
    if (!made) throw new Error('no session was created for a new account');
    return made;
  };
  const session = await transaction(connections, [email], makeAccount, { id: networksOf(context.clientAddress) }).catch(
    mapConstraintError('duplicate', () => wrongCode(context, codeSubject)),
  );
  context.services.securityLog.event('user_created', context, { userId: session.userId });
  return startSession(context, session);
}

/**
 * Signs in with a new session. An unknown address and a wrong password get the same error.
 * @throws VALIDATION_FAILED; SECOND_FACTOR_REQUIRED if only `totp` is missing; RATE_LIMITED
 */
export async function signIn(context: Context, rawInput: z.input<typeof input.signIn>): Promise<string> {
  const { email: address, password, totp } = parse(input.signIn, rawInput);
  const email = addressOf(address);
  const { signInFailuresOfAddress, signInFailuresOfClient } = context.services.accounts.limits;
  const code = { isWrong: false };
  const session = await attempt(
    context,
    // One attempt at the first subject at a time.
    [{ limit: signInFailuresOfAddress, subject: email }, ...countsOfNetworks(signInFailuresOfClient, context)],
    async (passwords) => {
      const made = await newSession(context, passwords, { email, password, totp });
      code.isWrong = made === 'wrong code';
      return made === 'wrong code' ? null : made;
    },
  );
  if (code.isWrong) throw invalid('totp', 'is wrong or already used');
  if (!session) throw invalid('', 'Wrong e-mail address or password');
  return completeSignIn(context, session, email);
}

/** Refused addresses and parameters of statements stay in memory for a while, so a hash stands for a longer one. */
function addressOf(typed: string): string {
  const email = canonicalEmail(typed);
  return email.length > maxEmailUnits ? createHash('sha256').update(email).digest('base64url') : email;
}

/** Mails the user about a new device. */
export async function completeSignIn(context: Context, session: MadeSession, email: string): Promise<string> {
  context.services.securityLog.event('authn_login_success', context, { userId: session.userId });
  if (session.isNewDevice) {
    const mail = newDeviceMail({ ...actorOf(context), at: session.createdAt });
    await context.services.mailer.send({ kind: 'NOTICE', userId: session.userId, to: email, ...mail });
  }
  return startSession(context, session);
}

export function originOf({ services, userAgent, clientAddress, session }: Context, userId: string) {
  const device = deviceOf(userAgent);
  return {
    device,
    fingerprint: fingerprintOf(services.accounts.secret, userId, device, clientAddress),
    replaces: session.id,
  };
}

/** A concurrent sign-in may rehash the password. */
const maxChecks = 2;

/** Null for a wrong password. Renews an outdated hash. @throws SECOND_FACTOR_REQUIRED */
async function newSession(
  context: Context,
  passwords: PasswordHasher,
  { email, password, totp }: z.output<typeof input.signIn>,
): Promise<MadeSession | 'wrong code' | null> {
  const { connections, securityLog } = context.services;
  const find = () => data.findCredentials(connections.db, { email });
  const account = await find();
  for (let checks = 1, current = account; checks <= maxChecks; checks += 1, current = await find()) {
    const passwordHash = current?.passwordHash ?? null;
    const isRight = await passwords.verify(password, passwordHash);
    if (!isRight || !current || passwordHash === null) break;
    const userId = current.id;
    const signIn = { userId, passwordHash, ...originOf(context, userId) };
    const made = await withFactor(context, current, totp, (database) => insertSession(database, signIn));
    if (made === 'wrong code') securityLog.event('authn_factor_fail', context, { factor: 'totp' });
    if (made && made !== 'wrong code' && passwords.isOutdated(passwordHash)) {
      await data.renewHash(connections, userId, passwordHash, await passwords.hash(password));
    }
    if (made) return made;
  }
  securityLog.event('authn_login_fail', context, { userId: account?.id });
  return null;
}

/** Rolls back a sign-in with its used code. */
const otherPassword = new Error('the password was changed during the sign-in');

/** @throws SECOND_FACTOR_REQUIRED */
async function withFactor(
  context: Context,
  account: { id: string; email: string },
  code: string | null | undefined,
  make: (database: Queryable) => Promise<MadeSession | null>,
): Promise<MadeSession | 'wrong code' | null> {
  const { connections } = context.services;
  const factor = await findFactor(context, account.id);
  if (!factor) return make(connections);
  if (code == null) throw secondFactorRequired();
  const session = await transaction(connections, [account.id], async (tx) => {
    const used = await factor.use(tx, code);
    if (!used) return 'wrong code';
    const made = await make(tx);
    if (!made) throw otherPassword;
    const { recoveryCodesLeft: left } = used;
    if (left !== undefined) await reportChange(context, tx, account, waysInChangedMail(changes.recoveryCodeUsed(left)));
    return made;
  }).catch((error: unknown) => {
    if (error !== otherPassword) throw error;
    return null;
  });
  context.services.mailer.wake();
  return session;
}

/** Ends the caller's previous session and those above the limit. @returns the user's id */
export async function startSession(context: Context, { id, userId, ended }: MadeSession): Promise<string> {
  context.session.adopt(id, userId);
  await afterEnd(ended, 'replaced', context);
  const { sessionsOfAccount: max } = context.services.accounts.limits;
  if (max !== undefined) {
    const excess = await endExcessSessions(context.services.connections, max, id, userId, deviceOf(context.userAgent));
    await afterEnd(excess, 'too_many_sessions', context);
  }
  return userId;
}

/** Ends the current session. @throws UNAUTHENTICATED */
export async function signOut(context: Context): Promise<void> {
  signedIn(context);
  await context.session.end(context);
}
