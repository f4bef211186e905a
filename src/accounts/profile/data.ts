import { runSql } from '@taskgate/postgres';
import { Prisma } from '../../generated/prisma/client.ts';
import type { StoredPicture } from './avatars.ts';
import type { Connections, Database } from '../../platform/database.ts';
import { type Context, signedIn, type Viewer } from '../../platform/context.ts';
import { orNotFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { type EndedSession, endSessionsWhere } from '../sessions/data.ts';

type UserQuery = { select?: Prisma.UserSelect; include?: Prisma.UserInclude };

export const findUser = async ({ db }: Connections, id: string, query: UserQuery) =>
  orNotFound(await db.user.findFirst({ ...query, where: { id } }), 'User');

export const answeringViewer =
  <Args>(act: (context: Context, args: Args) => Promise<void>) =>
  async (query: UserQuery, _root: unknown, args: Args, context: Context) => {
    await act(context, args);
    const { connections, id } = signedIn(context);
    return findUser(connections, id, query);
  };

type PreferencesQuery = { select?: Prisma.PreferencesSelect; include?: Prisma.PreferencesInclude };

export const findPreferences = async ({ db }: Connections, userId: string, query: PreferencesQuery) =>
  orNotFound(await db.preferences.findFirst({ ...query, where: { userId } }), 'Preferences');

export const findCredentials = (database: Database, where: { id: string } | { email: string }) =>
  database.user.findFirst({ where, select: { id: true, email: true, passwordHash: true } });

export const findAccount = (tx: Database, email: string) =>
  tx.user.findFirst({ where: { email }, select: { id: true } });

export const renewHash = ({ db }: Connections, id: string, from: string, to: string) =>
  db.$executeRaw`UPDATE users SET password_hash = ${to} WHERE id = ${id} AND password_hash = ${from}`;

export const updateUser = (tx: Database, id: string, data: Prisma.UserUpdateInput) =>
  tx.user.update({ where: { id }, data, select: { id: true } });

/**
 * Also ends the account's other sessions. A separate statement finds them under the lock of the account's row,
 * including one that `insertSession` has just made.
 * @param from null if no password was set
 * @returns the ended sessions, or why nothing changed
 */
export async function changePassword(
  tx: Database,
  viewer: Viewer,
  from: string | null,
  to: string,
): Promise<EndedSession[] | 'password changed' | 'session ended'> {
  const changed = await tx.$executeRaw`
    UPDATE users SET password_hash = ${to}
    WHERE id = ${viewer.id} AND password_hash IS NOT DISTINCT FROM ${from}
      AND EXISTS (SELECT FROM sessions WHERE sid = ${viewer.sessionId} AND expire > now())`;
  if (changed === 0) {
    const live = await tx.$queryRaw<object[]>`
      SELECT sid FROM sessions WHERE sid = ${viewer.sessionId} AND expire > now()`;
    return live.length > 0 ? 'password changed' : 'session ended';
  }
  return runSql<EndedSession>(tx, endSessionsWhere(Prisma.sql`user_id = ${viewer.id} AND sid <> ${viewer.sessionId}`));
}

export async function replaceAvatar(tx: Database, userId: string, name: string, picture: StoredPicture): Promise<void> {
  await tx.avatar.upsert({
    where: { userId },
    create: { ...picture, userId },
    update: picture,
    select: { userId: true },
  });
  await updateUser(tx, userId, { name, avatar: picture.name });
}

export async function readAvatar(connections: Connections, name: string, from: number, length: number) {
  const [row] = await runSql<{ size: number; piece: Buffer }>(
    connections,
    Prisma.sql`
      SELECT octet_length(bytes) AS size, substring(bytes FROM ${from + 1}::int FOR ${length}::int) AS piece
      FROM avatars WHERE name = ${name}`,
  );
  return row;
}

export const updatePreferences = (tx: Database, userId: string, data: Prisma.PreferencesUpdateInput) =>
  tx.preferences.update({ where: { userId }, data, select: { userId: true } });

export async function createUser(
  tx: Database,
  email: string,
  passwordHash: string | null,
  name: string | null = null,
): Promise<string> {
  const id = newId('User');
  await tx.space.create({
    data: {
      id,
      kind: 'PERSONAL',
      user: { create: { email, passwordHash, name, preferences: { create: {} } } },
    },
    select: { id: true },
  });
  await tx.membership.create({ data: { spaceId: id, userId: id, role: 'ADMIN' }, select: { spaceId: true } });
  return id;
}
