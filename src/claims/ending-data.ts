import { type Queryable, runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Connections } from '../platform/database.ts';
import { writeStatementInSpace } from '../platform/write.ts';

const { sql } = Prisma;

/** The spaces of tasks whose claims are no longer in force, without the named ones. */
export const findSpacesOfEnded = (database: Queryable, except: readonly string[]) =>
  runSql<{ id: string }>(
    database,
    sql`/* endedClaims */
      SELECT DISTINCT tasks.space_id AS id FROM claims JOIN tasks ON tasks.id = claims.task_id
      WHERE fence NOT IN (SELECT fence FROM claims_in_force) AND tasks.space_id <> ALL (${[...except]})
      LIMIT 100`,
  );

export const endClaims = (connections: Connections, spaceId: string) =>
  writeStatementInSpace(
    connections,
    spaceId,
    (locked) => sql`/* endClaims */
      WITH ${locked}
      SELECT end_claims(ARRAY(SELECT task_id FROM claims JOIN tasks ON tasks.id = task_id WHERE space_id = ${spaceId})) FROM locked`,
  );
