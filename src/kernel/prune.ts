import { Prisma } from '../generated/prisma/client.ts';
import { db, runSql } from './database.ts';

/** Rows that one statement deletes: a few milliseconds, so that nobody waits long for it. */
const batchSize = 1000;

const { raw, sql } = Prisma;

/** Rows that nothing needs any more once a moment has passed. */
export interface ExpiringRows {
  /** None whose rows belong to spaces: those are written through write.ts. */
  table: 'known_devices' | 'one_time_codes' | 'password_attempts' | 'rate_limits' | 'sent_invitations' | 'sessions';
  /** Column of the primary key. */
  key: string;
  /** Column of the moment; it has an index. */
  moment: string;
  /** Seconds for which a row is needed after that moment. */
  keptSeconds?: number;
}

/**
 * Deletes the rows whose time is over by the database's clock, in batches. A row that a transaction holds at that moment
 * is left for the next time.
 * @returns how many rows were deleted
 */
export async function prune({ table, key, moment, keptSeconds = 0 }: ExpiringRows): Promise<number> {
  for (let total = 0; ;) {
    const deleted = await runSql(
      db,
      sql`
        DELETE FROM ${raw(table)} WHERE ${raw(key)} IN (
          SELECT ${raw(key)} FROM ${raw(table)}
          WHERE ${raw(moment)} <= statement_timestamp() - make_interval(secs => ${keptSeconds}::float8)
          ORDER BY ${raw(moment)} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
        ) RETURNING ${raw(key)}`,
    );
    total += deleted.length;
    if (deleted.length < batchSize) return total;
  }
}
