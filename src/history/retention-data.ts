import { Prisma } from '../generated/prisma/client.ts';
import { db } from '../database/database.ts';
import { inBatches } from '../database/prune.ts';
import { runSql } from '../database/statements.ts';

const { raw, sql } = Prisma;

/** Rows that one statement deletes: a few milliseconds. */
const batchSize = 500;

/** Tells the triggers for how many days images are kept. If the database takes no writes, it stays as it was. */
export async function setRetention(days: number): Promise<void> {
  await runSql(
    db,
    sql`/* setRetention */ UPDATE history_settings SET days = ${days}::int
      WHERE days <> ${days}::int AND NOT pg_is_in_recovery()`,
  );
}

/** Deletes rows of operations that are older than the given days. @param key columns of the primary key, that of the operation first */
const pruneOlder = (
  table: 'history' | 'operations',
  key: readonly [operation: string, other: string],
  days: number,
) => {
  const [name, columns, operation] = [raw(table), raw(key.join(', ')), raw(key[0])];
  return inBatches(batchSize, () =>
    runSql(
      db,
      sql`/* pruneOperations */
        DELETE FROM ${name} WHERE (${columns}) IN (
          SELECT ${columns} FROM ${name}
          WHERE ${operation} < first_operation_id(clock_timestamp() - make_interval(days => ${days}::int))
          ORDER BY ${operation} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
        ) RETURNING 1`,
    ),
  );
};

/** Deletes images that are older than the given days. @returns how many rows */
export const pruneHistory = (days: number) => pruneOlder('history', ['operation_id', 'position'], days);

/** Deletes the records of operations that are older than the given days. @returns how many rows */
export const pruneOperations = (days: number) => pruneOlder('operations', ['id', 'space_id'], days);
