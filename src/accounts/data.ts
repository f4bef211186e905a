import type { Prisma } from '../generated/prisma/client.ts';
import { type Database, db } from '../kernel/database.ts';
import type { Viewer } from '../kernel/context.ts';
import { newId } from '../kernel/ids.ts';

type UserQuery = { select?: Prisma.UserSelect; include?: Prisma.UserInclude };

export const findUser = (id: string, query: UserQuery) => db.user.findUniqueOrThrow({ ...query, where: { id } });

/** The viewer, where they are among the ids: nobody sees another user. */
export const findUsers = (viewer: Viewer, ids: string[], query: UserQuery) =>
  db.user.findMany({ ...query, where: { id: { in: ids.filter((id) => id === viewer.id) } } });

type PreferencesQuery = { select?: Prisma.PreferencesSelect; include?: Prisma.PreferencesInclude };

export const findPreferences = (userId: string, query: PreferencesQuery) =>
  db.preferences.findUniqueOrThrow({ ...query, where: { userId } });

/** What is needed to check a password. */
export const findCredentials = (where: { id: string } | { email: string }) =>
  db.user.findUnique({ where, select: { id: true, passwordHash: true } });

export const updateUser = (tx: Database, id: string, data: Prisma.UserUpdateInput) =>
  tx.user.update({ where: { id }, data, select: { id: true } });

export const updatePreferences = (tx: Database, userId: string, data: Prisma.PreferencesUpdateInput) =>
  tx.preferences.update({ where: { userId }, data, select: { userId: true } });

/** Makes the account with its personal space, membership and preferences. */
export async function createUser(tx: Database, email: string, passwordHash: string): Promise<string> {
  const id = newId('User');
  await tx.space.create({
    data: {
      id,
      kind: 'PERSONAL',
      user: { create: { email, passwordHash, preferences: { create: {} } } },
    },
    select: { id: true },
  });
  await tx.membership.create({ data: { spaceId: id, userId: id }, select: { spaceId: true } });
  return id;
}

// Sign-up codes ---------------------------------------------------------------------------------

/** Orders all that is done with the codes of one address, until the transaction ends. */
export const lockEmail = (tx: Database, email: string) =>
  tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${email}, 0))`;

/** When codes were asked for since then, oldest first. */
export async function codeRequestsSince(tx: Database, email: string, since: Date): Promise<Date[]> {
  const rows = await tx.oneTimeCode.findMany({
    where: { email, createdAt: { gt: since } },
    select: { createdAt: true },
    orderBy: { createdAt: 'asc' },
  });
  return rows.map((row) => row.createdAt);
}

export const createCode = (tx: Database, data: Prisma.OneTimeCodeCreateInput) =>
  tx.oneTimeCode.create({ data, select: { id: true } });

/** The newest code of an address: the only one that counts. */
export const newestCode = (tx: Database, email: string) =>
  tx.oneTimeCode.findFirst({ where: { email }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] });

export const updateCode = (tx: Database, id: string, data: Prisma.OneTimeCodeUpdateInput) =>
  tx.oneTimeCode.update({ where: { id }, data, select: { id: true } });

/** Forgets requests that no longer count. */
export const deleteCodesBefore = (moment: Date) => db.oneTimeCode.deleteMany({ where: { createdAt: { lt: moment } } });
