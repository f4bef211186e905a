import { Prisma } from '../generated/prisma/client.ts';
import { db } from '../database/database.ts';
import { runSql } from '../database/statements.ts';

const { sql } = Prisma;

/** Rows that one statement deletes: a few milliseconds. */
const batchSize = 500;

/** Tells the triggers for how many days images are kept. Where the database takes no writes, it stays as it was. */
export async function setRetention(days: number): Promise<void> {
  await runSql(
    db,
    sql`/* setRetention */ UPDATE history_settings SET days = ${days}::int
      WHERE days <> ${days}::int AND NOT pg_is_in_recovery()`,
  );
}

/** Deletes images that are older than so many days, in batches. @returns how many rows */
export async function pruneHistory(days: number): Promise<number> {
  for (let total = 0; ;) {
    const rows = await runSql(
      db,
      sql`/* pruneHistory */
        DELETE FROM history WHERE (operation_id, position) IN (
          SELECT operation_id, position FROM history
          WHERE operation_id < first_operation_id(clock_timestamp() - make_interval(days => ${days}::int))
          ORDER BY operation_id LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
        ) RETURNING 1`,
    );
    total += rows.length;
    if (rows.length < batchSize) return total;
  }
}

/** Deletes what is known of operations that are older than so many days, in batches. @returns how many rows */
export async function pruneOperations(days: number): Promise<number> {
  for (let total = 0; ;) {
    const rows = await runSql(
      db,
      sql`/* pruneOperations */
        DELETE FROM operations WHERE (id, space_id) IN (
          SELECT id, space_id FROM operations
          WHERE id < first_operation_id(clock_timestamp() - make_interval(days => ${days}::int))
          ORDER BY id LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
        ) RETURNING 1`,
    );
    total += rows.length;
    if (rows.length < batchSize) return total;
  }
}
