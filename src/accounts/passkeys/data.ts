import type { Prisma } from '../../generated/prisma/client.ts';
import type { Connections, Database } from '../../platform/database.ts';

export const findPasskeys = ({ db }: Connections, userId: string) =>
  db.passkey.findMany({ where: { userId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });

export const findCredential = ({ db }: Connections, credentialId: string) =>
  db.passkey.findFirst({ where: { credentialId }, include: { user: { select: { id: true, email: true } } } });

export const countPasskeys = (tx: Database, userId: string) => tx.passkey.count({ where: { userId } });

export const insertPasskey = (tx: Database, data: Prisma.PasskeyUncheckedCreateInput) => tx.passkey.create({ data });

/** Some authenticators always send 0. @returns false if the counter has not grown or the passkey is gone */
export const usePasskey = async (tx: Database, id: string, counter: number): Promise<boolean> =>
  (await tx.$executeRaw`
    UPDATE passkeys SET counter = ${counter}::bigint, last_used_at = statement_timestamp()
    WHERE id = ${id} AND (counter < ${counter}::bigint OR (counter = 0 AND ${counter}::bigint = 0))`) > 0;

export async function deletePasskey(tx: Database, userId: string, id: string): Promise<string | undefined> {
  const [deleted] = await tx.$queryRaw<{ name: string }[]>`
    DELETE FROM passkeys WHERE id = ${id} AND user_id = ${userId} RETURNING name`;
  return deleted?.name;
}
