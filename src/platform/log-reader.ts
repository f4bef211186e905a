import { runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Connections, Database } from './database.ts';
import { transaction } from './transaction.ts';

const { sql } = Prisma;

/**
 * Condition of changes that were committed after a position, even if their writers began before it.
 * @param position pg_snapshot
 */
const beyond = (position: Prisma.Sql) => sql`
  transaction_id >= pg_snapshot_xmin(${position})::text::bigint
  -- A restored log has transactions of another history, whose ids lie ahead in this one.
  AND transaction_id < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  AND NOT pg_visible_in_snapshot(transaction_id::text::xid8, ${position})`;

/** Condition that a restore has replaced the history: the position refers to future transactions. */
const isOfOtherHistory = (position: Prisma.Sql) =>
  sql`pg_snapshot_xmax(${position}) > pg_snapshot_xmax(pg_current_snapshot())`;

const isKnown = sql`NOT ${isOfOtherHistory(sql`coalesce(target, position)`)}`;

/**
 * A statement for each page: an INSERT, UPDATE or DELETE that reads the rows of `page`. It is a part of the statement
 * that moves the position: both take effect, or neither does. It may not write rows that the log covers.
 */
interface PageStatements {
  /** `page` has the columns of `changes`. */
  changes: Prisma.Sql;
  /**
   * `page` has the `id` of each space. Runs for all spaces before the first change and after a restore. Without it, the
   * reader then begins at the end of the log.
   */
  spaces?: Prisma.Sql;
}

/**
 * Reads every change of the log once, in transactions whose number is bounded by pages. Its position is a row of
 * `log_readers`, which a missing row gets at its first page. Readers with different names are independent.
 */
export class LogReader {
  readonly #name: string;
  readonly #statements: PageStatements;

  constructor(name: string, statements: PageStatements) {
    this.#name = name;
    this.#statements = statements;
  }

  /** SQL condition that there is a page to read. */
  get hasPage(): Prisma.Sql {
    return sql`coalesce((
      SELECT position IS NULL OR target IS NOT NULL OR ${isOfOtherHistory(sql`position`)}
        OR EXISTS (SELECT FROM changes WHERE ${beyond(sql`position`)})
      FROM log_readers WHERE name = ${this.#name}
    ), true)`;
  }

  /** SQL value: the time of the oldest change that has not been read. Null if there is none. */
  get oldest(): Prisma.Sql {
    return sql`(
      SELECT (SELECT min(at) FROM changes WHERE ${beyond(sql`position`)}) FROM log_readers WHERE name = ${this.#name}
    )`;
  }

  /**
   * Runs work in a transaction that keeps other processes from reading under the name.
   * @returns undefined at once if another process is reading
   */
  locked<Result>(connections: Connections, work: (tx: Database) => Promise<Result>): Promise<Result | undefined> {
    return transaction(connections, [this.#name], async (tx) => ((await this.#lock(tx)) ? work(tx) : undefined));
  }

  /**
   * Reads a page in a transaction of {@link locked}. All pages of a round use the snapshot of the first one, so a change that
   * is committed during a round belongs to the next one.
   * @param limit changes or spaces. A part of a transaction is never cut, so a page may have more changes
   */
  async readPage(tx: Database, limit: number): Promise<void> {
    const [row] = await runSql<{ isBehind: boolean }>(
      tx,
      sql`/* beginLogPage */
        UPDATE log_readers SET
          target = coalesce(CASE WHEN ${isKnown} THEN target END, pg_current_snapshot()),
          position = coalesce(
            CASE WHEN ${isKnown} THEN position END,
            ${this.#statements.spaces ? sql`NULL` : sql`pg_current_snapshot()`}
          ),
          after_space_id = CASE WHEN ${isKnown} THEN after_space_id ELSE '' END
        WHERE name = ${this.#name} RETURNING position IS NOT NULL AS "isBehind"`,
    );
    const { changes, spaces } = this.#statements;
    await runSql(tx, row?.isBehind || !spaces ? this.#readChanges(changes, limit) : this.#readSpaces(spaces, limit));
  }

  async #lock(tx: Database): Promise<boolean> {
    const name = this.#name;
    // An unconditional INSERT would wait for a page of another process.
    const rows = await runSql(
      tx,
      sql`/* lockLogReader */
        WITH locked AS (
          SELECT name FROM log_readers WHERE name = ${name} FOR UPDATE SKIP LOCKED
        ), added AS (
          INSERT INTO log_readers (name) SELECT ${name} WHERE NOT EXISTS (SELECT FROM log_readers WHERE name = ${name})
          ON CONFLICT DO NOTHING RETURNING name
        )
        SELECT name FROM locked UNION ALL SELECT name FROM added`,
    );
    return rows.length > 0;
  }

  /** The last page of a round sets the position to the snapshot of the round. */
  #readChanges(statement: Prisma.Sql, limit: number): Prisma.Sql {
    return sql`/* readLogPage */
      WITH page AS MATERIALIZED (
        SELECT change.* FROM log_readers AS reader CROSS JOIN LATERAL (
          SELECT * FROM changes
          WHERE ${beyond(sql`position`)} AND (transaction_id, part) > (after_transaction_id, after_part)
            AND pg_visible_in_snapshot(transaction_id::text::xid8, target)
          ORDER BY transaction_id, part FETCH FIRST ${limit} ROWS WITH TIES
        ) AS change
        WHERE reader.name = ${this.#name}
      ), effect AS (
        ${statement}
      ), last AS (
        SELECT transaction_id, part, (SELECT count(*) FROM page) < ${limit} AS is_end
        FROM page ORDER BY transaction_id DESC, part DESC LIMIT 1
      )
      UPDATE log_readers SET (position, target, after_transaction_id, after_part) = (
        SELECT CASE WHEN is_end THEN target ELSE position END, CASE WHEN is_end THEN NULL ELSE target END,
          CASE WHEN is_end THEN 0 ELSE transaction_id END, CASE WHEN is_end THEN 0 ELSE part END
        FROM (SELECT coalesce((SELECT is_end FROM last), true) AS is_end) AS page LEFT JOIN last USING (is_end)
      ) WHERE name = ${this.#name}`;
  }

  /** Reads pages of spaces. After the last one, the log is read from the snapshot of the first. */
  #readSpaces(statement: Prisma.Sql, limit: number): Prisma.Sql {
    return sql`/* readSpacesOfLog */
      WITH page AS MATERIALIZED (
        SELECT id FROM spaces WHERE id > (SELECT after_space_id FROM log_readers WHERE name = ${this.#name})
        ORDER BY id LIMIT ${limit}
      ), effect AS (
        ${statement}
      )
      UPDATE log_readers SET (position, target, after_space_id, after_transaction_id, after_part) = (
        SELECT CASE WHEN is_end THEN target END, CASE WHEN is_end THEN NULL ELSE target END,
          CASE WHEN is_end THEN '' ELSE last END, 0, 0
        FROM (SELECT count(*) < ${limit} AS is_end, max(id) AS last FROM page) AS page
      ) WHERE name = ${this.#name}`;
  }
}
