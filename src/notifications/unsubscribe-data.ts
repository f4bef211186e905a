import { columnName } from '@taskgate/nested-read';
import type { Connections } from '../platform/database.ts';
import { writeStatementInSpace } from '../platform/write.ts';
import { Prisma } from '../generated/prisma/client.ts';
import type { Unsubscribing } from './kind.ts';

/**
 * Locks the personal space, which has the user's id.
 * @returns whether the preference changed; false without such a user
 * @throws UNAVAILABLE
 */
export async function turnOff(
  connections: Connections,
  userId: string,
  { preference, off }: Unsubscribing,
): Promise<boolean> {
  const column = Prisma.raw(columnName(preference));
  const rows = await writeStatementInSpace(
    connections,
    userId,
    (locked) => Prisma.sql`
      WITH ${locked}
      UPDATE preferences SET ${column} = ${off} FROM locked WHERE user_id = ${userId} AND ${column} <> ${off} RETURNING user_id`,
  );
  return rows.length > 0;
}
