import { Prisma } from '../generated/prisma/client.ts';
import { db } from './database.ts';
import { runSql } from './statements.ts';

const { raw, sql } = Prisma;

/**
 * Deletes rows by statements of a few milliseconds each, so that nobody waits long for one.
 * @param size rows that a statement deletes
 * @param deleteBatch deletes the next ones, fewer where there are no more
 * @returns how many rows were deleted
 */
export async function inBatches(size: number, deleteBatch: () => Promise<readonly unknown[]>): Promise<number> {
  for (let total = 0; ;) {
    const { length } = await deleteBatch();
    total += length;
    if (length < size) return total;
  }
}

/** Rows that {@link prune} deletes at once. */
const batchSize = 1000;

/** Rows that nothing needs any more once a moment has passed. */
export interface ExpiringRows {
  /** None whose rows belong to spaces: those are written through write.ts. */
  table: string;
  /** Column of the primary key. */
  key: string;
  /** Column of the moment; it has an index. */
  moment: string;
  /** Seconds for which a row is needed after that moment. */
  keptSeconds?: number;
}

/** Called with rows as they are deleted; not where there is none. */
export interface DeletedRows<Row extends object> {
  /** Expressions over the row, under the names that `Row` has. */
  columns: Prisma.Sql;
  /** Called with each row, once. */
  each: (row: Row) => void;
}

/**
 * Deletes the rows whose time is over by the database's clock, in batches. A row that a transaction holds at that moment
 * is left for the next time.
 * @returns how many rows were deleted
 */
export const prune = <Row extends object>(
  { table, key, moment, keptSeconds = 0 }: ExpiringRows,
  deleted?: DeletedRows<Row>,
): Promise<number> =>
  inBatches(batchSize, async () => {
    const rows = await runSql<Row>(
      db,
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
