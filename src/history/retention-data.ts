import { inBatches, runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Connections } from '../platform/database.ts';

const { raw, sql } = Prisma;

/** Rows per statement, which takes a few milliseconds. */
const batchSize = 500;

const prunedTables = {
  history: { key: 'operation_id, position', operation: 'operation_id' },
  trash: { key: 'entity_id', operation: 'operation_id' },
  operations: { key: 'id, space_id', operation: 'id' },
};

/** @returns the number of rows */
const pruneOlder = (connections: Connections, table: keyof typeof prunedTables, days: number) => {
  const { [table]: pruned } = prunedTables;
  const [name, columns, operation] = [raw(table), raw(pruned.key), raw(pruned.operation)];
  return inBatches(batchSize, () =>
    runSql(
      connections,
      sql`/* pruneOperations */
        DELETE FROM ${name} WHERE (${columns}) IN (
          SELECT ${columns} FROM ${name}
          WHERE ${operation} < first_operation_id(clock_timestamp() - make_interval(days => ${days}::int))
          ORDER BY ${operation} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
        ) RETURNING 1`,
    ),
  );
};

/** Deletes old rows of the history, then of the trash. @returns the number of deleted rows of the history */
export async function pruneHistory(connections: Connections, days: number): Promise<number> {
  const pruned = await pruneOlder(connections, 'history', days);
  await pruneOlder(connections, 'trash', days);
  return pruned;
}

export const pruneOperations = (connections: Connections, days: number) => pruneOlder(connections, 'operations', days);
