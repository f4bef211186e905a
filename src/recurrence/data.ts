import { runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../platform/context.ts';

export async function findClock({ connections, id }: Viewer): Promise<{ now: Date; timeZone: string }> {
  const [row] = await runSql<{ now: Date; timeZone: string }>(
    connections,
    Prisma.sql`/* findClock */ SELECT statement_timestamp() AS now, time_zone AS "timeZone" FROM preferences WHERE user_id = ${id}`,
  );
  if (!row) throw new Error('a viewer has no preferences');
  return row;
}
