import { Prisma } from '../../generated/prisma/client.ts';
import { type Database, db } from '../../database/database.ts';
import { prune } from '../../database/prune.ts';
import { runSql } from '../../database/statements.ts';

const { sql } = Prisma;

/** Seconds for which a challenge can be answered. */
const challengeSeconds = 5 * 60;

/** @param userId whose registration it is of; null: of a sign-in, by anyone who has a passkey */
export const insertChallenge = (challenge: string, userId: string | null) =>
  runSql(
    db,
    sql`
      INSERT INTO passkey_challenges (challenge, user_id, expires_at)
      VALUES (${challenge}, ${userId}, statement_timestamp() + make_interval(secs => ${challengeSeconds}::float8))`,
  );

/** Uses a challenge up. @returns whether it could be: it was issued for that, and neither used nor expired */
export async function takeChallenge(challenge: string, userId: string | null): Promise<boolean> {
  const taken = await runSql<object>(
    db,
    sql`
      DELETE FROM passkey_challenges
      WHERE challenge = ${challenge} AND user_id IS NOT DISTINCT FROM ${userId} AND expires_at > statement_timestamp()
      RETURNING challenge`,
  );
  return taken.length > 0;
}

/** Forgets challenges that nobody has answered. @returns how many */
export const pruneChallenges = () => prune({ table: 'passkey_challenges', key: 'challenge', moment: 'expires_at' });

export const findPasskeys = (userId: string) =>
  db.passkey.findMany({ where: { userId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });

/** The passkey of a credential id, with its user. */
export const findCredential = (credentialId: string) =>
  db.passkey.findFirst({ where: { credentialId }, include: { user: { select: { id: true, email: true } } } });

export const countPasskeys = (tx: Database, userId: string) => tx.passkey.count({ where: { userId } });

export const insertPasskey = (tx: Database, data: Prisma.PasskeyUncheckedCreateInput) => tx.passkey.create({ data });

/**
 * Notes a use. The counter only grows, but for authenticators that do not count, which always say 0.
 * @returns whether it has grown, and the passkey is still there
 */
export const usePasskey = async (tx: Database, id: string, counter: number): Promise<boolean> =>
  (await tx.$executeRaw`
    UPDATE passkeys SET counter = ${counter}, last_used_at = statement_timestamp()
    WHERE id = ${id} AND (counter < ${counter} OR (counter = 0 AND ${counter} = 0))`) > 0;

export const deletePasskey = async (tx: Database, userId: string, id: string): Promise<boolean> =>
  (await tx.passkey.deleteMany({ where: { id, userId } })).count > 0;
