import type { z } from 'zod';
import { invalid, unauthenticated, unavailable } from '@taskgate/base';
import { refreshViewer } from '@taskgate/execution';
import { type Context, signedIn, type Viewer } from '../../platform/context.ts';
import type { Connections, Database } from '../../platform/database.ts';
import { isEmpty, parse } from '../../platform/input.ts';
import { roleFor } from '../../platform/roles.ts';
import { transaction } from '../../platform/transaction.ts';
import { write } from '../../platform/write.ts';
import { accountDeletedMail, passwordChangedMail } from '../../notifications/mails/account-mails.ts';
import { leaveAllWorkspaces, reportHeirs } from '../../workspaces/rules.ts';
import { attempt, countOfSession } from '../sign-in/attempts.ts';
import * as data from './data.ts';
import * as deletionData from './deletion-data.ts';
import * as input from '../input.ts';
import { requireAccepted } from '../sign-in/password-policy.ts';
import type { PasswordHasher } from '../sign-in/passwords.ts';
import type { EndedSession } from '../sessions/data.ts';
import { afterEnd } from '../sessions/end.ts';
import { requireRecentAuthentication } from '../sessions/rules.ts';
import { reportChange } from '../recovery/ways-in.ts';

/**
 * Keeps the avatar if no file is given.
 * @throws VALIDATION_FAILED, RATE_LIMITED; nothing is stored then
 */
export async function updateProfile(context: Context, rawName: unknown, image: File | null | undefined): Promise<void> {
  const viewer = signedIn(context);
  const { name } = parse(input.profile, { name: rawName });
  // Their members see the change.
  for (const id of viewer.spaceIds) viewer.written?.add(id);
  if (!image) {
    await write(viewer, { ids: [viewer.id] }, (tx) => data.updateUser(tx, viewer.id, { name }));
    return;
  }
  const { pictures, limits } = context.services.accounts;
  await limits.uploadsOfAccount.consume(viewer.id);
  const picture = await pictures.encode(image, viewer.id, viewer.signal);
  await write(viewer, { ids: [viewer.id] }, (tx) => data.replaceAvatar(tx, viewer.id, name, picture));
}

/** A slow client holds one chunk in memory. */
const pieceBytes = 128 * 1024;

/** Chunks are read on demand. */
export async function findAvatar(connections: Connections, name: string) {
  const first = await data.readAvatar(connections, name, 0, pieceBytes);
  if (!first) return undefined;
  const { size } = first;
  async function* pieces() {
    yield first?.piece;
    for (let from = pieceBytes; from < size; from += pieceBytes) {
      const next = await data.readAvatar(connections, name, from, pieceBytes);
      if (!next) throw new Error('the picture was replaced during the download');
      yield next.piece;
    }
  }
  return { size, pieces };
}

/**
 * Ends the other sessions and notifies the user by mail.
 * @throws VALIDATION_FAILED for a wrong current password or a new one that is not repeated; REAUTHENTICATION_REQUIRED
 * if none is set and the sign-in is not recent; UNAUTHENTICATED, UNAVAILABLE
 */
export async function changePassword(context: Context, rawInput: z.input<typeof input.changePassword>): Promise<void> {
  const viewer = signedIn(context);
  const { currentPassword, newPassword } = parse(input.changePassword, rawInput);
  requireAccepted(context.services.accounts.passwordPolicy, newPassword, 'newPassword');
  const change = async (passwords: PasswordHasher) => {
    const account = await findOwner(context, passwords, currentPassword);
    if (!account) return null;
    const to = await passwords.hash(newPassword);
    // A separate key does not wait for other writes.
    const made = await transaction(viewer.connections, [`password ${viewer.id}`], async (tx) => {
      const ended = await data.changePassword(tx, viewer, account.passwordHash, to);
      const mail = passwordChangedMail({ isFirst: account.passwordHash === null });
      if (typeof ended !== 'string') await reportChange(context, tx, account, mail);
      return ended;
    });
    return made === 'password changed' ? null : made;
  };
  const outcome = await attempt(context, [currentPasswordAttempts(context)], change);
  if (outcome === 'session ended') throw unauthenticated();
  if (outcome === null) {
    context.services.securityLog.event('authn_password_change_fail', context, {});
    throw invalid('currentPassword', 'must be the current password');
  }
  context.services.mailer.wake();
  context.services.securityLog.event('authn_password_change', context, {});
  await afterEnd(outcome, 'password_changed', context);
}

/** Accepts a recent sign-in if no password is set. @throws REAUTHENTICATION_REQUIRED */
async function findOwner(context: Context, passwords: PasswordHasher, password: string | null | undefined) {
  const { connections, id } = signedIn(context);
  const account = await data.findCredentials(connections.db, { id });
  if (account?.passwordHash == null) await requireRecentAuthentication(context);
  else if (!(await passwords.verify(password ?? '', account.passwordHash))) return null;
  return account;
}

const currentPasswordAttempts = (context: Context) =>
  countOfSession(context, context.services.accounts.limits.currentPasswordFailuresOfSession);

/**
 * Also deletes the personal space and the workspaces without other members. Notifies the address by mail.
 * @throws VALIDATION_FAILED for a wrong or missing password; REAUTHENTICATION_REQUIRED if none is set and the sign-in
 * is not recent; UNAUTHENTICATED, UNAVAILABLE
 */
export async function deleteAccount(context: Context, rawInput: z.input<typeof input.deleteAccount>): Promise<void> {
  const { password } = parse(input.deleteAccount, rawInput);
  const checked = await attempt(context, [currentPasswordAttempts(context)], (passwords) =>
    findOwner(context, passwords, password),
  );
  const ended = checked && (await removeAccount(context, checked));
  if (!ended) {
    context.services.securityLog.event('user_delete_fail', context, {});
    throw invalid('password', 'must be the current password');
  }
  context.services.mailer.wake();
  context.services.securityLog.event('user_deleted', context, {});
  await afterEnd(ended, 'account_deleted', context);
  await context.session.end(context);
}

/** Restarts if another space has come to name the account. */
const maxDeletionAttempts = 5;

/** @returns null if the password was changed, and nothing was deleted */
async function removeAccount(
  context: Context,
  { email, passwordHash }: { email: string; passwordHash: string | null },
): Promise<EndedSession[] | null> {
  for (let attempts = 1; attempts <= maxDeletionAttempts; attempts += 1) {
    // Hashing took time.
    await refreshViewer(context);
    const viewer = signedIn(context);
    const naming = await deletionData.findNamingSpaces(viewer.connections, viewer.id);
    const spaceIds = [...new Set([...viewer.spaceIds, ...naming])];
    let heirs: Awaited<ReturnType<typeof leaveAllWorkspaces>> = [];
    const remove = async (tx: Database) => {
      const locked = await deletionData.lockAccount(tx, viewer, spaceIds, passwordHash);
      if (typeof locked === 'string') return locked;
      heirs = await leaveAllWorkspaces(tx, viewer);
      await deletionData.deleteAccount(tx, viewer);
      await reportChange(context, tx, { email }, accountDeletedMail);
      return locked;
    };
    const access = { needs: roleFor('deleteAccount'), ids: viewer.spaceIds, spaces: naming };
    const outcome = await write(viewer, access, remove);
    if (outcome === 'password changed') return null;
    if (outcome === 'spaces changed') continue;
    await reportHeirs(context, heirs);
    return outcome;
  }
  throw unavailable('The account is joining workspaces: try again');
}

/** Changes preferences. @throws VALIDATION_FAILED, also for an empty input */
export async function updatePreferences(viewer: Viewer, rawInput: z.input<typeof input.preferences>): Promise<void> {
  const changes = parse(input.preferences, rawInput, 'input');
  if (isEmpty(changes)) throw invalid('input', 'must have at least one preference');
  await write(viewer, { ids: [viewer.id] }, (tx) => data.updatePreferences(tx, viewer.id, changes));
}
