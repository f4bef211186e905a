import { empty, join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import { groupBy } from '@taskgate/base';
import { type Clock, nowOf, type Postgres, type Queryable, runSql, seconds } from '@taskgate/postgres';

/**
 * A table with the columns `id`, `at`, `next_at`, `expires_at`, `leased_until`, `status`, `reason`, `sent_at`, `attempts`
 * and `lease`, and an index on the lane and `next_at`, where `status = 'PLANNED'`.
 */
export interface OutboxTable {
  name: string;
  /** Expression of a row's lane: a constant if there is only one. */
  lane: Sql;
  /** Expression of a row's key. Due rows with the same key are claimed together. */
  key: Sql;
  /**
   * Whether a row waits for the end of all earlier ones of its key, by `at` and `id`. All have the same lane. This needs
   * an index on the key, `at` and `id`, where `status = 'PLANNED'`.
   */
  isOrdered?: boolean;
  /** More columns of a claimed row: expressions over `claimed` and `joins`. */
  columns: Sql;
  /** Joins to `claimed`, each with one row or none. */
  joins?: Sql;
  /** More assignments at the end of a row, such as the deletion of its content. */
  atEnd?: Sql;
}

/** A row that this process has claimed until its lease ends. */
export interface ClaimedRow {
  id: string;
  key: string;
  at: Date;
  expiresAt: Date;
  /** Number of attempts, including this one. */
  attempts: number;
  /** Number that each claim raises. Only the process with the current number holds the row. */
  lease: number;
  now: Date;
}

export type Ended = { status: 'SENT'; reason?: never } | { status: 'SKIPPED' | 'FAILED'; reason: string };

/** Maximum numbers of due rows that a claim reads, and of rows that it claims for one key. */
const [examinedAtOnce, claimedForOne] = [5000, 1000];

const heldBy = (
  claimed: readonly ClaimedRow[],
) => sql`status = 'PLANNED' AND leased_until IS NOT NULL AND (id, lease) IN (
  SELECT * FROM unnest(${claimed.map(({ id }) => id)}::text[], ${claimed.map(({ lease }) => lease)}::integer[])
)`;

const idsOf = (rows: readonly { id: string }[]) => new Set(rows.map(({ id }) => id));

/** The statements over a table. */
export class Rows<Row extends ClaimedRow> {
  readonly #table: OutboxTable;
  readonly #name: Sql;
  readonly #connections: Postgres;
  readonly #clock: Clock;

  constructor(table: OutboxTable, connections: Postgres, clock: Clock) {
    this.#table = table;
    this.#name = raw(table.name);
    this.#connections = connections;
    this.#clock = clock;
  }

  get #now(): Sql {
    return nowOf(this.#clock);
  }

  #isPlannedIn(lane: string): Sql {
    return sql`${this.#table.lane} = ${lane} AND status = 'PLANNED'`;
  }

  async findDueLanes(lanes: readonly string[]): Promise<Set<string>> {
    const each = lanes.map(
      (lane) => sql`
        SELECT ${lane}::text AS lane
        WHERE EXISTS (SELECT FROM ${this.#name} WHERE ${this.#isPlannedIn(lane)} AND next_at <= ${this.#now})`,
    );
    const rows = await runSql<{ lane: string }>(
      this.#connections,
      sql`/* findDueLanes */ ${join(each, ' UNION ALL ')}`,
    );
    return new Set(rows.map(({ lane }) => lane));
  }

  /**
   * Claims the due rows of the keys that have waited longest. No other process can claim them before the lease ends.
   * @param options `limit`: number of keys; `except`: keys to skip
   * @returns `others`, `same`: whether other keys, or the claimed ones, may have more due rows
   */
  async claim(
    lane: string,
    { except, limit, leaseSeconds }: { except: readonly string[]; limit: number; leaseSeconds: number },
  ): Promise<{ claimed: [Row, ...Row[]][]; others: boolean; same: boolean }> {
    const { key, columns, joins = empty, isOrdered } = this.#table;
    const planned = isOrdered ? this.#firstRows(lane) : this.#plannedRows(lane);
    const rows = await runSql<Row>(
      this.#connections,
      sql`/* claimRows */
        WITH clock AS MATERIALIZED (SELECT ${this.#now} AS now), page AS MATERIALIZED (
          SELECT *, row_number() OVER (PARTITION BY key ORDER BY at, id) AS place FROM (
            SELECT * FROM (${planned}) AS planned
            WHERE next_at <= ${this.#now} AND key <> ALL (${[...except]})
            ORDER BY next_at LIMIT ${examinedAtOnce}
          ) AS examined
        ), chosen AS MATERIALIZED (
          SELECT key FROM page GROUP BY key ORDER BY min(next_at), key LIMIT ${limit}
        ), due AS MATERIALIZED (
          SELECT id AS due_id FROM ${this.#name}
          -- PostgreSQL hashes or looks up an array, even if it expects few rows.
          WHERE id = ANY (ARRAY (SELECT id FROM page JOIN chosen USING (key) WHERE place <= ${claimedForOne}))
            AND ${this.#isPlannedIn(lane)} AND next_at <= ${this.#now}
          FOR UPDATE SKIP LOCKED
        ), claimed AS (
          UPDATE ${this.#name} SET attempts = attempts + 1, lease = lease + 1,
            next_at = now + ${seconds(leaseSeconds)}, leased_until = now + ${seconds(leaseSeconds)}
          FROM clock CROSS JOIN due WHERE id = due_id
          RETURNING *, ${key} AS claimed_key
        )
        SELECT claimed.id, claimed_key AS key, claimed.at, claimed.expires_at AS "expiresAt", claimed.attempts, claimed.lease,
          claimed.now, ${columns}
        FROM claimed ${joins}`,
    );
    rows.sort((one, other) => one.at.getTime() - other.at.getTime() || (one.id < other.id ? -1 : 1));
    const claimed = [...groupBy(rows, (row) => row.key).values()];
    return { claimed, others: claimed.length === limit, same: claimed.some(({ length }) => length === claimedForOne) };
  }

  #plannedRows(lane: string): Sql {
    return sql`SELECT ${this.#table.key} AS key, id, at, next_at FROM ${this.#name} WHERE ${this.#isPlannedIn(lane)}`;
  }

  /** Selects the first planned row of each key. An index finds one key after another, however many rows wait. */
  #firstRows(lane: string): Sql {
    const { key } = this.#table;
    const first = (condition: Sql) => sql`${this.#plannedRows(lane)} ${condition} ORDER BY ${key}, at, id LIMIT 1`;
    return sql`
      WITH RECURSIVE first AS (
        (${first(empty)}) UNION ALL
        SELECT following.* FROM first CROSS JOIN LATERAL (${first(sql`AND ${key} > first.key`)}) AS following
      )
      SELECT * FROM first`;
  }

  /** @returns ids of the rows that this process still holds */
  async renew(claimed: readonly Row[], leaseSeconds: number): Promise<Set<string>> {
    const until = sql`${this.#now} + ${seconds(leaseSeconds)}`;
    const rows = await runSql<{ id: string }>(
      this.#connections,
      sql`/* renewLeases */
        UPDATE ${this.#name} SET next_at = ${until}, leased_until = ${until} WHERE ${heldBy(claimed)} RETURNING id`,
    );
    return idsOf(rows);
  }

  /** @returns ids of the rows that this process still held */
  async end(database: Queryable, claimed: readonly Row[], { status, reason }: Ended): Promise<Set<string>> {
    const { atEnd } = this.#table;
    const rows = await runSql<{ id: string }>(
      database,
      sql`/* endRows */
        UPDATE ${this.#name} SET status = ${raw(`'${status}'`)}, reason = ${reason ?? null}, leased_until = NULL,
          sent_at = ${status === 'SENT' ? this.#now : sql`NULL`}${atEnd ? sql`, ${atEnd}` : empty}
        WHERE ${heldBy(claimed)} RETURNING id`,
    );
    return idsOf(rows);
  }

  /**
   * Releases rows for another claim after a pause, at the latest when they expire.
   * @param isTried whether the claim counts as an attempt
   */
  release(claimed: readonly Row[], pauseSeconds: number, { isTried = false } = {}): Promise<unknown> {
    return runSql(
      this.#connections,
      sql`/* releaseRows */
        UPDATE ${this.#name} SET attempts = attempts - ${isTried ? 0 : 1}::int, leased_until = NULL,
          next_at = least(${this.#now} + ${seconds(pauseSeconds)}, greatest(expires_at, ${this.#now}))
        WHERE ${heldBy(claimed)}`,
    );
  }

  /** Plans rows for a later moment, as if they had never been tried. */
  postpone(claimed: readonly Row[], at: Date): Promise<unknown> {
    return runSql(
      this.#connections,
      sql`/* postponeRows */
        UPDATE ${this.#name} SET at = ${at}::timestamptz, next_at = ${at}::timestamptz, leased_until = NULL, attempts = 0
        WHERE ${heldBy(claimed)}`,
    );
  }

  /** Delay of the oldest due row in the lanes, in seconds. */
  async findLag(lanes: readonly string[]): Promise<number> {
    const each = lanes.map(
      (lane) => sql`
      SELECT min(next_at) AS oldest FROM ${this.#name} WHERE ${this.#isPlannedIn(lane)} AND next_at <= ${this.#now}`,
    );
    const [row] = await runSql<{ lag: number | null }>(
      this.#connections,
      sql`/* findLag */
        SELECT extract(epoch FROM ${this.#now} - min(oldest))::float8 AS lag FROM (${join(each, ' UNION ALL ')}) AS lane`,
    );
    return row?.lag ?? 0;
  }
}
