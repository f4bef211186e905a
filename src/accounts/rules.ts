import type { z } from 'zod';
import { type Context, refreshViewer, signedIn, type Viewer } from '../kernel/context.ts';
import type { Database } from '../database/database.ts';
import { invalid, unauthenticated, unavailable } from '../kernel/errors.ts';
import { isEmpty, parse } from '../kernel/input.ts';
import { transaction } from '../database/transaction.ts';
import { write } from '../database/write.ts';
import { accountDeletedMail, passwordChangedMail } from '../notifications/mails/account-mails.ts';
import { leaveAllWorkspaces } from '../workspaces/rules.ts';
import { attempt, countOfSession } from './attempts.ts';
import * as data from './data.ts';
import * as deletionData from './deletion-data.ts';
import * as input from './input.ts';
import { requireAccepted } from './password-policy.ts';
import type { PasswordHasher } from './passwords.ts';
import type { EndedSession } from './session-data.ts';
import { afterEnd } from './session-end.ts';
import { requireRecentAuthentication } from './session-rules.ts';
import { reportChange } from './ways-in.ts';

export { readAccess } from './credential-data.ts';

/**
 * Changes name and, where a file is given, avatar; of two at once the last one's file remains.
 * @throws VALIDATION_FAILED, RATE_LIMITED; then nothing is stored
 */
export async function updateProfile(context: Context, rawName: unknown, image: File | null | undefined): Promise<void> {
  const viewer = signedIn(context);
  const { name } = parse(input.profile, { name: rawName });
  // Other members of these are shown it.
  for (const id of viewer.spaceIds) viewer.written?.add(id);
  if (!image) return void (await write(viewer, [viewer.id], (tx) => data.updateUser(tx, viewer.id, { name })));
  const { pictures, limits } = context.services.accounts;
  await limits.uploadsOfAccount.consume(viewer.id);
  const picture = await pictures.encode(image, viewer.id, viewer.signal);
  await write(viewer, [viewer.id], (tx) => data.replaceAvatar(tx, viewer.id, name, picture));
}

/** Bytes of a picture that are read at once: most are smaller, and a slow client holds no more of one in memory. */
const pieceBytes = 128 * 1024;

/**
 * Finds the picture of a name, for anyone.
 * @returns its size in bytes, and its chunks, read on demand; undefined if there is none
 */
export async function findAvatar(name: string) {
  const first = await data.readAvatar(name, 0, pieceBytes);
  if (!first) return undefined;
  const { size } = first;
  async function* pieces() {
    yield first?.piece;
    for (let from = pieceBytes; from < size; from += pieceBytes) {
      const next = await data.readAvatar(name, from, pieceBytes);
      if (!next) throw new Error('the picture was replaced meanwhile');
      yield next.piece;
    }
  }
  return { size, pieces };
}

/**
 * Changes the password, ends the account's other sessions, and mails its address that it has been done.
 * @throws VALIDATION_FAILED where the present password is wrong, or the new one is not repeated; the tenth wrong one in
 *   15 minutes ends the session. REAUTHENTICATION_REQUIRED where none is set; UNAUTHENTICATED where the session has ended
 *   meanwhile; UNAVAILABLE
 */
export async function changePassword(context: Context, rawInput: z.input<typeof input.changePassword>): Promise<void> {
  const viewer = signedIn(context);
  const { currentPassword, newPassword } = parse(input.changePassword, rawInput);
  requireAccepted(context.services.accounts.passwordPolicy, newPassword, 'newPassword');
  const change = async (passwords: PasswordHasher) => {
    const account = await findOwner(context, passwords, currentPassword);
    if (!account) return null;
    const to = await passwords.hash(newPassword);
    // A separate key: it waits for none of the account's other writes.
    const made = await transaction([`password ${viewer.id}`], async (tx) => {
      const ended = await data.changePassword(tx, viewer, account.passwordHash, to);
      const mail = passwordChangedMail({ isFirst: account.passwordHash === null });
      if (typeof ended !== 'string') await reportChange(context, tx, account, mail);
      return ended;
    });
    return made === 'other password' ? null : made;
  };
  const outcome = await attempt(context, [presentPasswordOf(context)], change);
  if (outcome === 'session ended') throw unauthenticated();
  if (outcome === null) {
    context.services.securityLog.event('authn_password_change_fail', context, {});
    throw invalid('currentPassword', 'must be the present password');
  }
  context.services.mailer.wake();
  context.services.securityLog.event('authn_password_change', context, {});
  await afterEnd(outcome, 'password_changed', context);
}

/**
 * The viewer's account, if the password is right, or none is set and the sign-in is recent; else null.
 * @throws REAUTHENTICATION_REQUIRED
 */
async function findOwner(context: Context, passwords: PasswordHasher, password: string | null | undefined) {
  const account = await data.findCredentials({ id: signedIn(context).id });
  if (account?.passwordHash == null) await requireRecentAuthentication(context);
  else if (!(await passwords.verify(password ?? '', account.passwordHash))) return null;
  return account;
}

/** What an attempt at the current password of a signed-in account counts towards, whatever it is for. */
const presentPasswordOf = (context: Context) =>
  countOfSession(context, context.services.accounts.limits.presentPasswordFailuresOfSession);

/**
 * Deletes the account with its personal space, its tags, sessions and invitations, and the workspaces of which it is the
 * last member; the others live on with their tasks. Its address is free again, and is mailed that it has been done.
 * @throws VALIDATION_FAILED where the password is wrong, or missing where one is set; the tenth wrong one in 15 minutes ends
 *   the session. REAUTHENTICATION_REQUIRED where none is set; UNAUTHENTICATED where the session has ended meanwhile; UNAVAILABLE
 */
export async function deleteAccount(context: Context, rawInput: z.input<typeof input.deleteAccount>): Promise<void> {
  const { password } = parse(input.deleteAccount, rawInput);
  const checked = await attempt(context, [presentPasswordOf(context)], (passwords) =>
    findOwner(context, passwords, password),
  );
  const ended = checked && (await removeAccount(context, checked));
  if (!ended) {
    context.services.securityLog.event('user_delete_fail', context, {});
    throw invalid('password', 'must be the present password');
  }
  context.services.mailer.wake();
  context.services.securityLog.event('user_deleted', context, {});
  await afterEnd(ended, 'account_deleted', context);
  await context.session.end(context);
}

/** How often a deletion starts over because the account has joined, or invited to, one more workspace meanwhile. */
const maxDeletionAttempts = 5;

/** @returns the sessions that have ended by it; null where the account has another password by now: nothing has happened then */
async function removeAccount(
  context: Context,
  { email, passwordHash }: { email: string; passwordHash: string | null },
): Promise<EndedSession[] | null> {
  for (let attempts = 1; attempts <= maxDeletionAttempts; attempts += 1) {
    // Time has passed since the viewer was read: the password was hashed.
    await refreshViewer(context);
    const viewer = signedIn(context);
    const invitedTo = await deletionData.workspacesInvitedTo(viewer.id);
    const spaceIds = [...new Set([...viewer.spaceIds, ...invitedTo])];
    const remove = async (tx: Database) => {
      const locked = await deletionData.lockAccount(tx, viewer, spaceIds, passwordHash);
      if (typeof locked === 'string') return locked;
      await leaveAllWorkspaces(tx, viewer);
      await deletionData.deleteAccount(tx, viewer);
      await reportChange(context, tx, { email }, accountDeletedMail);
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
  const changes = parse(input.preferences, rawInput, 'input');
  if (isEmpty(changes)) throw invalid('input', 'must have at least one preference');
  await write(viewer, [viewer.id], (tx) => data.updatePreferences(tx, viewer.id, changes));
}
