import type { z } from 'zod';
import type { Prisma } from '../generated/prisma/client.ts';
import type { Context, Viewer } from '../kernel/context.ts';
import { refreshViewer, signedIn } from '../kernel/context.ts';
import { type Database, db } from '../kernel/database.ts';
import { invalid, unauthenticated, unavailable } from '../kernel/errors.ts';
import { parse } from '../kernel/input.ts';
import { log } from '../kernel/logger.ts';
import { refused } from '../kernel/refusals.ts';
import { logSecurityEvent } from '../kernel/security-log.ts';
import { transaction } from '../kernel/transaction.ts';
import { write } from '../kernel/write.ts';
import type { Mailer } from '../notifications/mailer.ts';
import { createInbox } from '../projects/rules.ts';
import { leaveAllWorkspaces } from '../workspaces/rules.ts';
import { accountDeletedMail, passwordChangedMail } from './account-mails.ts';
import type { AvatarFolder } from './avatars.ts';
import { attempt, type AttemptCount, requireAttempt } from './attempts.ts';
import { issueCode, redeemCode, tryCode } from './codes.ts';
import * as data from './data.ts';
import * as deletionData from './deletion-data.ts';
import { deviceOf, fingerprintOf } from './device.ts';
import { newDeviceMail } from './device-mail.ts';
import * as input from './input.ts';
import type { AccountLimits } from './limits.ts';
import { type PasswordHasher, withHasher } from './passwords.ts';
import * as sessionData from './session-data.ts';
import { afterEnd, endSession } from './session-end.ts';

/** What the accounts room is given at start. */
export interface AccountServices {
  /** Keys the hashes of codes. */
  secret: string;
  mailer: Mailer;
  avatars: AvatarFolder;
  limits: AccountLimits;
}

let services: AccountServices;

/** Whom sessions stand for at this moment; one that has ended is left out. */
export const viewersOfSessions = sessionData.loadViewersOfSessions;

export function openAccounts(given: AccountServices): void {
  services = given;
}

/**
 * Mails a sign-up code to the address; where there is an account already, the mail says so, and the
 * answer is the same.
 * @throws VALIDATION_FAILED; RATE_LIMITED at the sixth request in 24 hours, or after many for other addresses
 */
export async function requestSignUpCode(context: Context, rawEmail: unknown): Promise<void> {
  const email = parse(input.email, rawEmail, 'email');
  const { secret, mailer, limits } = services;
  limits.refusedAddresses.requireOpen(email);
  await limits.codeRequestsOfClient.consume(context.clientAddress);
  const code = await limits.refusedAddresses.run(email, () =>
    transaction([email], (tx) => issueCode(tx, secret, email)),
  );
  logSecurityEvent('authn_code_requested', context, {});
  if (await data.findCredentials({ email })) {
    mailer.send({
      to: email,
      subject: 'You have a Taskgate account already',
      text: `Somebody, probably you, asked to sign up with this address. There is an account already: sign in with your password.\n`,
    });
    return;
  }
  if (mailer.writesFiles) log.info({ email, oneTimeCode: code }, 'sign-up code, as no SMTP server is configured');
  mailer.send({
    to: email,
    subject: `${code} is your Taskgate code`,
    text: `Your code to sign up for Taskgate is ${code}. It is valid for five minutes.\n\nIf you did not ask for it, ignore this mail.\n`,
  });
}

/**
 * Makes the account with its inbox and signs it in.
 * @throws VALIDATION_FAILED, also for a wrong, expired or used code and an address that has an account; RATE_LIMITED
 */
export async function signUp(context: Context, rawInput: z.input<typeof input.signUp>): Promise<string> {
  const { email, code, password } = parse(input.signUp, rawInput);
  await services.limits.signUpsOfClient.consume(context.clientAddress);
  // Hashing takes long: it is done for a right code alone, and holds no connection of the pool meanwhile.
  const wrongCode = () => {
    logSecurityEvent('authn_code_fail', context, {});
    return invalid('code', 'is wrong, used or expired: ask for a new one');
  };
  if (!(await tryCode(services.secret, email, code))) throw wrongCode();
  const passwordHash = await withHasher(context, (passwords) => passwords.hash(password));
  // That the address has an account is said no more clearly than that a code is wrong.
  const session = await transaction([email], async (tx) => {
    if (!(await redeemCode(tx, services.secret, email, code))) throw wrongCode();
    const userId = await data.createUser(tx, email, passwordHash);
    await createInbox(tx, userId);
    const made = await sessionData.insertSession(tx, {
      userId,
      passwordHash,
      ...originOf(context, userId),
    });
    if (!made) throw new Error('an account that was just made has no session');
    return { ...made, userId };
  }).catch(refused('duplicate', wrongCode));
  logSecurityEvent('user_created', context, { userId: session.userId });
  return startSession(context, session);
}

/**
 * Signs in by a new session.
 * @throws VALIDATION_FAILED, the same for an unknown address and a wrong password; RATE_LIMITED
 */
export async function signIn(context: Context, rawInput: z.input<typeof input.signIn>): Promise<string> {
  const { email: address, password } = parse(input.signIn, rawInput);
  const email = address.trim().toLowerCase();
  const { signInFailuresOfAddress, signInFailuresOfClient } = services.limits;
  const counts = {
    at: { limit: signInFailuresOfAddress, subject: email },
    by: { limit: signInFailuresOfClient, subject: context.clientAddress },
  };
  requireAttempt(counts);
  const session = await withHasher(context, (passwords) =>
    attempt(counts, () => newSession(context, passwords, { email, password }), context.cancellation.signal),
  );
  if (!session) throw invalid('', 'Wrong e-mail address or password');
  logSecurityEvent('authn_login_success', context, { userId: session.userId });
  if (session.isNewDevice) tellOfNewDevice(context, email, session.createdAt);
  return startSession(context, session);
}

/** By what a session is made. */
function originOf({ userAgent, clientAddress, session }: Context, userId: string) {
  const device = deviceOf(userAgent);
  return {
    device,
    fingerprint: fingerprintOf(services.secret, { userId, device, clientAddress }),
    replaces: session.id,
  };
}

/** Mails the account's address, in the background: the sign-in neither waits for it nor fails with it. */
function tellOfNewDevice({ userAgent, clientAddress, publicUrl }: Context, to: string, at: Date): void {
  services.mailer.send(newDeviceMail({ to, device: deviceOf(userAgent), clientAddress, at, publicUrl }));
}

interface NewSession extends sessionData.MadeSession {
  userId: string;
}

/** Checks the password, and makes a session if it is right and has not been changed meanwhile. */
async function newSession(
  context: Context,
  passwords: PasswordHasher,
  { email, password }: z.output<typeof input.signIn>,
): Promise<NewSession | null> {
  const account = await data.findCredentials({ email });
  const passwordHash = account?.passwordHash ?? null;
  const isRight = await passwords.verify(password, passwordHash);
  const made =
    isRight && account && passwordHash !== null
      ? await sessionData.insertSession(db, { userId: account.id, passwordHash, ...originOf(context, account.id) })
      : null;
  if (made && account) return { ...made, userId: account.id };
  logSecurityEvent('authn_login_fail', context, { userId: account?.id });
  return null;
}

/**
 * Has the caller go on by a session that was made. The one that they had before has ended by it; so does another of the
 * account, where it has too many now.
 * @returns whose it is
 */
async function startSession(context: Context, { id, userId, ended }: NewSession): Promise<string> {
  context.session.adopt(id, userId);
  await afterEnd(ended, 'replaced', context);
  const { sessionsOfAccount: max } = services.limits;
  if (max !== undefined) {
    const made = { sid: id, userId, device: deviceOf(context.userAgent) };
    await afterEnd(await sessionData.endSessionsBeyond(max, made), 'too_many_sessions', context);
  }
  return userId;
}

/** @throws UNAUTHENTICATED */
export async function signOut(context: Context): Promise<void> {
  signedIn(context);
  await context.session.end(context);
}

/**
 * Changes name and, where a file is given, avatar; of two at once the last one's file remains.
 * @throws VALIDATION_FAILED, RATE_LIMITED; then nothing is stored
 */
export async function updateProfile(viewer: Viewer, rawName: unknown, image: File | null | undefined): Promise<void> {
  const { name } = parse(input.profile, { name: rawName });
  if (!image) return void (await write(viewer, [viewer.id], (tx) => data.updateUser(tx, viewer.id, { name })));
  const { avatars, limits } = services;
  await limits.uploadsOfAccount.consume(viewer.id);
  const avatar = await avatars.add(image, viewer.id, viewer.signal);
  // Where the write fails, it may have been done all the same, the connection lost after the commit: then the new file
  // is named. The removal of strays finds out.
  const previous = await write(viewer, [viewer.id], (tx) => data.replaceAvatar(tx, viewer.id, name, avatar));
  if (previous !== null) await avatars.remove(previous);
}

/** Removes avatars' files that no user has. @returns how many */
export const removeStrayAvatars = (): Promise<number> => services.avatars.removeStrays(data.findAvatars);

/**
 * Changes the password, ends the account's other sessions, and mails its address that it has been done.
 * @throws VALIDATION_FAILED where the present password is wrong, or the new one is not repeated; the tenth wrong one in
 *   15 minutes ends the session. UNAUTHENTICATED where the session has ended meanwhile; UNAVAILABLE
 */
export async function changePassword(context: Context, rawInput: z.input<typeof input.changePassword>): Promise<void> {
  const viewer = signedIn(context);
  const { currentPassword, newPassword } = parse(input.changePassword, rawInput);
  let email: string | undefined;
  const change = async (passwords: PasswordHasher) => {
    const account = await data.findCredentials({ id: viewer.id });
    email = account?.email;
    const from = account?.passwordHash ?? null;
    if (from !== null && !(await passwords.verify(currentPassword ?? '', from))) return null;
    const to = await passwords.hash(newPassword);
    // A key of its own: it waits for none of the account's other writes.
    const made = await transaction([`password ${viewer.id}`], (tx) =>
      sessionData.changePassword(tx, { viewer, from, to }),
    );
    return made === 'other password' ? null : made;
  };
  const outcome = await withHasher(context, (passwords) =>
    attempt({ at: presentPasswordOf(context) }, () => change(passwords), context.cancellation.signal),
  );
  if (outcome === 'session ended') throw unauthenticated();
  if (outcome === null) {
    logSecurityEvent('authn_password_change_fail', context, {});
    throw invalid('currentPassword', 'must be the present password');
  }
  logSecurityEvent('authn_password_change', context, {});
  if (email !== undefined) services.mailer.send(passwordChangedMail(context, email));
  await afterEnd(outcome, 'password_changed', context);
}

/** What a try of the present password of a signed-in account counts towards, whatever it is asked for. */
const presentPasswordOf = (context: Context): AttemptCount => {
  const { sessionId } = signedIn(context);
  return {
    limit: services.limits.presentPasswordFailuresOfSession,
    subject: sessionId,
    onReached: () => endSession(sessionId, 'failed_attempts', context),
  };
};

/**
 * Deletes the account with its personal space, its tags, sessions and invitations, and the workspaces of which it is the
 * last member; the others live on with their tasks. Its address is free again, and is mailed that it has been done.
 * @throws VALIDATION_FAILED where the password is wrong, or missing where one is set; the tenth wrong one in 15 minutes ends
 *   the session. UNAUTHENTICATED where the session has ended meanwhile; UNAVAILABLE
 */
export async function deleteAccount(context: Context, rawInput: z.input<typeof input.deleteAccount>): Promise<void> {
  const { id } = signedIn(context);
  const { password } = parse(input.deleteAccount, rawInput);
  const check = async (passwords: PasswordHasher) => {
    const account = await data.findCredentials({ id });
    const passwordHash = account?.passwordHash ?? null;
    const isRight = passwordHash === null || (await passwords.verify(password ?? '', passwordHash));
    return isRight ? { passwordHash, email: account?.email } : null;
  };
  const checked = await withHasher(context, (passwords) =>
    attempt({ at: presentPasswordOf(context) }, () => check(passwords), context.cancellation.signal),
  );
  const deleted = checked && (await removeAccount(context, checked.passwordHash));
  if (!deleted) {
    logSecurityEvent('user_delete_fail', context, {});
    throw invalid('password', 'must be the present password');
  }
  logSecurityEvent('user_deleted', context, {});
  if (checked.email !== undefined) services.mailer.send(accountDeletedMail(context, checked.email));
  await afterEnd(deleted.sessions, 'account_deleted', context);
  if (deleted.avatar !== null) await services.avatars.remove(deleted.avatar);
  await context.session.end(context);
}

/** How often a deletion begins anew, as the account has joined or invited to one more workspace meanwhile. */
const maxDeletionAttempts = 5;

/** @returns null where the account has another password by now: nothing has happened then */
async function removeAccount(
  context: Context,
  passwordHash: string | null,
): Promise<deletionData.LockedAccount | null> {
  for (let attempts = 1; attempts <= maxDeletionAttempts; attempts += 1) {
    // Time has passed since the viewer was read: the password was hashed.
    await refreshViewer(context);
    const viewer = signedIn(context);
    const invitedTo = await deletionData.workspacesInvitedTo(viewer.id);
    const spaceIds = [...new Set([...viewer.spaceIds, ...invitedTo])];
    const remove = async (tx: Database) => {
      const locked = await deletionData.lockAccount(tx, viewer, { spaceIds, passwordHash });
      if (typeof locked === 'string') return locked;
      await leaveAllWorkspaces(tx, viewer);
      await deletionData.deleteAccount(tx, viewer);
      return locked;
    };
    const outcome = await write(viewer, viewer.spaceIds, remove, { spaces: invitedTo });
    if (outcome === 'other password') return null;
    if (outcome !== 'other spaces') return outcome;
  }
  throw unavailable('The account joins workspaces at the moment: try again');
}

/** @throws VALIDATION_FAILED, also where no preference is given */
export async function updatePreferences(viewer: Viewer, rawInput: z.input<typeof input.preferences>): Promise<void> {
  const { digestTime, ...given } = parse(input.preferences, rawInput, 'input');
  const changes: Prisma.PreferencesUpdateInput = Object.fromEntries(
    Object.entries<unknown>(given).filter(([, value]) => value !== null && value !== undefined),
  );
  if (digestTime !== undefined) changes.digestTime = digestTime;
  if (Object.keys(changes).length === 0) throw invalid('input', 'must have at least one preference');
  await write(viewer, [viewer.id], (tx) => data.updatePreferences(tx, viewer.id, changes));
}
