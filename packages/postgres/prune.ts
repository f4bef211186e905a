import { raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { Postgres } from './postgres.ts';
import { runSql } from './statements.ts';

/**
 * Uses short statements, so nobody waits long.
 * @param deleteBatch deletes up to `size` rows; fewer if no more exist
 * @returns their total
 */
export async function inBatches(size: number, deleteBatch: () => Promise<readonly unknown[]>): Promise<number> {
  for (let total = 0; ;) {
    const { length } = await deleteBatch();
    total += length;
    if (length < size) return total;
  }
}

const batchSize = 1000;

export interface ExpiringRows {
  /** A table without rows of spaces: only `src/platform/write.ts` writes those. */
  table: string;
  key: string;
  /** Indexed timestamp column. */
  moment: string;
  /** Seconds after `moment`. Default: 0. */
  keptSeconds?: number;
}

interface DeletedRows<Row extends object> {
  /** Expressions over the row, named as in `Row`. */
  columns: Sql;
  each: (row: Row) => void;
}

/**
 * Deletes expired rows by the database's clock. Skips locked rows until the next run.
 * @returns their number
 */
export const prune = <Row extends object>(
  connections: Postgres,
  { table, key, moment, keptSeconds = 0 }: ExpiringRows,
  deleted?: DeletedRows<Row>,
): Promise<number> =>
  inBatches(batchSize, async () => {
    const rows = await runSql<Row>(
      connections,
      sql`
        DELETE FROM ${raw(table)} WHERE ${raw(key)} IN (
          SELECT ${raw(key)} FROM ${raw(table)}
          WHERE ${raw(moment)} <= statement_timestamp() - make_interval(secs => ${keptSeconds}::float8)
          ORDER BY ${raw(moment)} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
        ) RETURNING ${deleted?.columns ?? raw(key)}`,
    );
    if (deleted) rows.forEach(deleted.each);
    return rows;
  });
