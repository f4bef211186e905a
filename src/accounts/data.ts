import type { SessionData } from 'express-session';
import type { Prisma } from '../generated/prisma/client.ts';
import { type Database, db, sessionPool } from '../kernel/database.ts';
import type { Viewer } from '../kernel/context.ts';
import { newId } from '../kernel/ids.ts';

interface ViewerRow {
  inbox_id: string;
  revisions: Record<string, string>;
}

/** The columns of {@link ViewerRow}, for the one user that an SQL expression tells. */
const viewerOf = (userId: string) => `
  SELECT inbox.id AS inbox_id, jsonb_object_agg(spaces.id, spaces.revision::text) AS revisions
  FROM memberships
  JOIN spaces ON spaces.id = memberships.space_id
  JOIN projects AS inbox ON inbox.space_id = memberships.user_id AND inbox.is_default
  WHERE memberships.user_id = ${userId}
  GROUP BY inbox.id`;

const toViewer = (id: string, sessionId: string, { inbox_id: inboxId, revisions }: ViewerRow): Viewer => ({
  id,
  sessionId,
  inboxId,
  spaceIds: Object.keys(revisions),
  revisions,
});

/** A session that has not ended, with whom it stands for, in one statement. */
export async function loadSession(sid: string): Promise<{ sess: SessionData; viewer: Viewer | null } | null> {
  const { rows } = await sessionPool.query<{ sess: SessionData } & (ViewerRow | Record<keyof ViewerRow, null>)>({
    name: 'taskgate_session',
    text: `
      SELECT sessions.sess, viewer.inbox_id, viewer.revisions
      FROM sessions LEFT JOIN LATERAL (${viewerOf("sessions.sess ->> 'userId'")}) AS viewer ON true
      WHERE sessions.sid = $1 AND sessions.expire >= now()`,
    values: [sid],
  });
  const [row] = rows;
  if (!row) return null;
  return { sess: row.sess, viewer: row.inbox_id === null ? null : toViewer(row.sess.userId, sid, row) };
}

/**
 * Whom sessions stand for, in one statement, as {@link loadSession} would load each; one that has ended is left out.
 * Its tables are joined once for all sessions: the viewer of each by itself takes fourteen times as long for a hundred.
 */
export async function loadViewersOfSessions(sessionIds: readonly string[]): Promise<Map<string, Viewer>> {
  const rows = await db.$queryRaw<({ sid: string; user_id: string } & ViewerRow)[]>`
    SELECT sessions.sid, memberships.user_id, inbox.id AS inbox_id,
      jsonb_object_agg(spaces.id, spaces.revision::text) AS revisions
    FROM sessions
    JOIN memberships ON memberships.user_id = sessions.sess ->> 'userId'
    JOIN spaces ON spaces.id = memberships.space_id
    JOIN projects AS inbox ON inbox.space_id = memberships.user_id AND inbox.is_default
    WHERE sessions.sid = ANY (${[...sessionIds]}) AND sessions.expire >= now()
    GROUP BY sessions.sid, memberships.user_id, inbox.id`;
  return new Map(rows.map((row) => [row.sid, toViewer(row.user_id, row.sid, row)]));
}

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

export const updateUser = (id: string, data: Prisma.UserUpdateInput) =>
  db.user.update({ where: { id }, data, select: { id: true } });

export const updatePreferences = (userId: string, data: Prisma.PreferencesUpdateInput) =>
  db.preferences.update({ where: { userId }, data, select: { userId: true } });

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

/** Sets the password and ends the account's other sessions, in one statement. */
export async function setPassword(
  userId: string,
  passwordHash: string,
  keptSession: string | undefined,
): Promise<void> {
  await db.$executeRaw`
    WITH ended AS (
      DELETE FROM sessions WHERE sess ->> 'userId' = ${userId} AND sid <> ${keptSession ?? ''}
    )
    UPDATE users SET password_hash = ${passwordHash} WHERE id = ${userId}`;
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
