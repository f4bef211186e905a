import { columnName } from '@taskgate/nested-read';
import type { Connections } from '../platform/database.ts';
import { writeStatementInSpace } from '../platform/write.ts';
import { Prisma } from '../generated/prisma/client.ts';
import type { Flag } from './kind.ts';

/**
 * Locks the personal space, which has the user's id.
 * @returns whether the preference was on; false without such a user
 * @throws UNAVAILABLE
 */
export async function turnOff(connections: Connections, userId: string, preference: Flag): Promise<boolean> {
  const column = Prisma.raw(columnName(preference));
  const rows = await writeStatementInSpace(
    connections,
    userId,
    (locked) => Prisma.sql`
      WITH ${locked}
      UPDATE preferences SET ${column} = false FROM locked WHERE user_id = ${userId} AND ${column} RETURNING user_id`,
  );
  return rows.length > 0;
}
