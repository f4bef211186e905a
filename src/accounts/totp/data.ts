import { runSql } from '@taskgate/postgres';
import { Prisma } from '../../generated/prisma/client.ts';
import type { Connections, Database } from '../../platform/database.ts';

const { sql } = Prisma;

interface StoredTotp {
  /** Null before the first confirmation. */
  secret: Prisma.Bytes | null;
  pending: Prisma.Bytes | null;
  /** Time of the database clock, in milliseconds since 1970. */
  now: number;
}

export async function findTotp(connections: Connections, userId: string): Promise<StoredTotp | undefined> {
  const [row] = await runSql<StoredTotp>(
    connections,
    sql`
      SELECT secret, pending, (extract(epoch FROM statement_timestamp()) * 1000)::float8 AS now
      FROM totp_factors WHERE user_id = ${userId}`,
  );
  return row;
}

export const hasTotp = async ({ db }: Connections, userId: string): Promise<boolean> =>
  (await db.totpFactor.count({ where: { userId, secret: { not: null } } })) > 0;

/** The active secret stays. If different keys encrypt the two, the row names no key, and both are encrypted again. */
export const startTotp = (tx: Database, userId: string, pending: Prisma.Bytes, keyName: string) =>
  tx.$executeRaw`
    INSERT INTO totp_factors (user_id, pending, key_name) VALUES (${userId}, ${pending}, ${keyName})
    ON CONFLICT (user_id) DO UPDATE SET pending = EXCLUDED.pending,
      key_name = CASE WHEN totp_factors.key_name = EXCLUDED.key_name THEN EXCLUDED.key_name ELSE '' END`;

/** @returns false if none was pending */
export async function confirmTotp(
  tx: Database,
  userId: string,
  pending: Prisma.Bytes,
  step: number,
  codeHashes: readonly string[],
): Promise<boolean> {
  const { count } = await tx.totpFactor.updateMany({
    where: { userId, pending },
    data: { secret: pending, pending: null, usedStep: step, recoveryHashes: [...codeHashes] },
  });
  return count > 0;
}

/** Uses up a step and all earlier ones, once. */
export const useStep = async (tx: Database, userId: string, secret: Prisma.Bytes, step: number): Promise<boolean> =>
  (await tx.totpFactor.updateMany({ where: { userId, secret, usedStep: { lt: step } }, data: { usedStep: step } }))
    .count > 0;

/** @returns how many codes are left; undefined for an unknown code */
export async function useRecoveryCode(tx: Database, userId: string, codeHash: string): Promise<number | undefined> {
  const [used] = await tx.$queryRaw<{ left: number }[]>`
    UPDATE totp_factors SET recovery_hashes = array_remove(recovery_hashes, ${codeHash})
    WHERE user_id = ${userId} AND ${codeHash} = ANY (recovery_hashes)
    RETURNING cardinality(recovery_hashes) AS left`;
  return used?.left;
}

export const deleteTotp = (tx: Database, userId: string) => tx.totpFactor.deleteMany({ where: { userId } });

interface SealedRow {
  userId: string;
  secret: Prisma.Bytes | null;
  pending: Prisma.Bytes | null;
}

export const findSealedByOthers = ({ db }: Connections, keyName: string, after: string): Promise<SealedRow[]> =>
  db.totpFactor.findMany({
    where: { userId: { gt: after }, keyName: { not: keyName } },
    select: { userId: true, secret: true, pending: true },
    orderBy: { userId: 'asc' },
    take: 100,
  });

/** Skips secrets that have changed since. */
export const reseal = (
  connections: Connections,
  keyName: string,
  before: SealedRow,
  { secret, pending }: Omit<SealedRow, 'userId'>,
) =>
  runSql(
    connections,
    sql`
      UPDATE totp_factors SET secret = ${secret}::bytea, pending = ${pending}::bytea, key_name = ${keyName}
      WHERE user_id = ${before.userId} AND secret IS NOT DISTINCT FROM ${before.secret}::bytea
        AND pending IS NOT DISTINCT FROM ${before.pending}::bytea`,
  );
