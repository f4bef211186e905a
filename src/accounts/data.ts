import { Prisma } from '../generated/prisma/client.ts';
import { type Database, db, runSql } from '../database/database.ts';
import type { Viewer } from '../kernel/context.ts';
import { orNotFound } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { type EndedSession, ending } from './session-data.ts';

type UserQuery = { select?: Prisma.UserSelect; include?: Prisma.UserInclude };

export const findUser = async (id: string, query: UserQuery) =>
  orNotFound(await db.user.findUnique({ ...query, where: { id } }), 'User');

/** The viewer, where they are among the ids: nobody sees another user. */
export const findUsers = (viewer: Viewer, ids: string[], query: UserQuery) =>
  db.user.findMany({ ...query, where: { id: { in: ids.filter((id) => id === viewer.id) } } });

type PreferencesQuery = { select?: Prisma.PreferencesSelect; include?: Prisma.PreferencesInclude };

export const findPreferences = async (userId: string, query: PreferencesQuery) =>
  orNotFound(await db.preferences.findUnique({ ...query, where: { userId } }), 'Preferences');

/** What is needed to check a password, and to tell its user of what was done by it. */
export const findCredentials = (where: { id: string } | { email: string }) =>
  db.user.findUnique({ where, select: { id: true, email: true, passwordHash: true } });

export const updateUser = (tx: Database, id: string, data: Prisma.UserUpdateInput) =>
  tx.user.update({ where: { id }, data, select: { id: true } });

export interface PasswordChange {
  viewer: Viewer;
  /** The hash that the present password was checked against; null where none was set. */
  from: string | null;
  to: string;
}

/**
 * Sets the password, and ends the account's other sessions. These are looked for in a statement of their own, after
 * the account's row is locked: one that `insertSession` made until then is among them.
 * @returns those; or what kept it from that: the account has another password by now, or the viewer's session has ended
 */
export async function changePassword(
  tx: Database,
  { viewer, from, to }: PasswordChange,
): Promise<EndedSession[] | 'other password' | 'session ended'> {
  const changed = await tx.$executeRaw`
    UPDATE users SET password_hash = ${to}
    WHERE id = ${viewer.id} AND password_hash IS NOT DISTINCT FROM ${from}
      AND EXISTS (SELECT FROM sessions WHERE sid = ${viewer.sessionId} AND expire > now())`;
  if (changed === 0) {
    const live = await tx.$queryRaw<object[]>`
      SELECT sid FROM sessions WHERE sid = ${viewer.sessionId} AND expire > now()`;
    return live.length > 0 ? 'other password' : 'session ended';
  }
  return runSql<EndedSession>(tx, ending(Prisma.sql`user_id = ${viewer.id} AND sid <> ${viewer.sessionId}`));
}

/**
 * Sets name and avatar.
 * @returns the avatar that this very statement replaced, so that of two at once each is told of another one; null where
 *   there was none
 */
export async function replaceAvatar(tx: Database, id: string, name: string, avatar: string): Promise<string | null> {
  const statement = Prisma.sql`
    UPDATE users SET name = ${name}, avatar = ${avatar}
    FROM (SELECT id, avatar FROM users WHERE id = ${id} FOR NO KEY UPDATE) AS previous
    WHERE users.id = previous.id RETURNING previous.avatar`;
  const [row] = await runSql<{ avatar: string | null }>(tx, statement);
  return row?.avatar ?? null;
}

/** Which of the file names are users' avatars. */
export async function findAvatars(names: string[]): Promise<Set<string>> {
  const rows = await db.user.findMany({ where: { avatar: { in: names } }, select: { avatar: true } });
  return new Set(rows.flatMap(({ avatar }) => avatar ?? []));
}

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
// All moments are the database's own: processes whose clocks differ agree on what is valid.

export interface CodeRules {
  /** Codes that may be asked for within the window. */
  requests: number;
  /** Seconds for which a request counts. */
  requestsWindow: number;
  /** Seconds for which a code is valid. */
  validity: number;
  /** Wrong tries that burn a code. */
  attempts: number;
}

/** Orders all requests for codes of one address, until the transaction ends. */
export const lockEmail = (tx: Database, email: string) => tx.$executeRaw`SELECT lock_addresses(ARRAY[${email}])`;

/**
 * Stores a code, unless as many were asked for as may be; the address must be locked.
 * @returns 0, or the seconds after which one more may be asked for
 */
export async function createCode(tx: Database, email: string, codeHash: string, rules: CodeRules): Promise<number> {
  const [refusal] = await tx.$queryRaw<{ wait: number }[]>`
    WITH counted AS MATERIALIZED (
      SELECT created_at + make_interval(secs => ${rules.requestsWindow}::float8) AS ends
      FROM one_time_codes WHERE email = ${email} ORDER BY id DESC OFFSET ${rules.requests - 1} LIMIT 1
    ), created AS (
      INSERT INTO one_time_codes (email, code_hash, created_at, expires_at)
      SELECT ${email}, ${codeHash}, statement_timestamp(),
        statement_timestamp() + make_interval(secs => ${rules.validity}::float8)
      WHERE NOT EXISTS (SELECT FROM counted WHERE ends > statement_timestamp())
    )
    SELECT extract(epoch FROM ends - statement_timestamp())::float8 AS wait
    FROM counted WHERE ends > statement_timestamp()`;
  return refusal?.wait ?? 0;
}

/** Of an address' codes the newest alone counts, while it is neither used nor burnt nor expired. */
const openCode = (email: string, { attempts }: CodeRules) => Prisma.sql`
  id = (SELECT id FROM one_time_codes WHERE email = ${email} ORDER BY id DESC LIMIT 1)
  AND consumed_at IS NULL AND attempts < ${attempts} AND expires_at > statement_timestamp()`;

/** Compares a code with the address' and counts a wrong try, in one statement. @returns whether it was right */
export async function tryCode(email: string, codeHash: string, rules: CodeRules): Promise<boolean> {
  const [tried] = await runSql<{ right: boolean }>(
    db,
    Prisma.sql`
      UPDATE one_time_codes SET attempts = attempts + (code_hash <> ${codeHash})::int WHERE ${openCode(email, rules)}
      RETURNING code_hash = ${codeHash} AS "right"`,
  );
  return tried?.right ?? false;
}

/** Uses a code up. @returns whether it was right, and nobody else had used it */
export async function redeemCode(tx: Database, email: string, codeHash: string, rules: CodeRules): Promise<boolean> {
  const redeemed = await tx.$executeRaw`
    UPDATE one_time_codes SET consumed_at = statement_timestamp()
    WHERE code_hash = ${codeHash} AND ${openCode(email, rules)}`;
  return redeemed === 1;
}
