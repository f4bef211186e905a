import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import type { Prisma } from '../generated/prisma/client.ts';
import { holdConnection } from './connection.ts';
import type { ResponseBudget } from '../kernel/budget.ts';
import { cursorPool } from './database.ts';
import { UnfitError, preferReplica, requireFeedback } from './replicas.ts';
import { makeSettings } from './statements.ts';

/** Milliseconds that PostgreSQL may take for one batch, and that it may wait until the next one is fetched. */
const batchMs = 60_000;

/**
 * Each row is looked up by an index: where statistics are missing or old, a plan that reads a table whole, which pays once
 * for all rows, may be chosen for a part that is done again for every one of them.
 */
const settings = `
  SET LOCAL statement_timeout = ${batchMs};
  SET LOCAL idle_in_transaction_session_timeout = ${batchMs};
  SET LOCAL enable_seqscan = off;
  SET LOCAL enable_hashjoin = off;
  SET LOCAL enable_mergejoin = off`;

/** Rows of a statement, which has this position among several. */
interface Batch<Row> {
  statement: number;
  rows: Row[];
}

/**
 * Reads the rows of statements by a cursor, one statement after the other, all of one snapshot, and only as fast as they are
 * taken; a statement without rows has no batch. Who stops taking them early closes the connection, and with it the cursor.
 * @param batchSize rows to read next; asked before each batch
 * @param budget of the operation: its signal cancels the batch that is being read, and what it has `seen` lets a replica answer
 * @param version identifies, in one row, the part of what is read that no revision covers: a replica answers only if its row equals the
 * primary's
 */
export async function* readInSnapshot<Row extends object>(
  statements: readonly Prisma.Sql[],
  batchSize: () => number,
  budget: ResponseBudget,
  version?: Prisma.Sql,
): AsyncGenerator<Batch<Row>, void> {
  const { client, release } = await holdSnapshot(budget, version);
  let isComplete = false;
  try {
    for (const [statement, { text, values }] of statements.entries()) {
      await client.query({ text: `DECLARE entries NO SCROLL CURSOR FOR ${text}`, values });
      for (;;) {
        const { rows } = await client.query<Row>(`FETCH ${batchSize()} FROM entries`);
        if (rows.length === 0) break;
        yield { statement, rows };
      }
      await client.query('CLOSE entries');
    }
    await client.query('COMMIT');
    isComplete = true;
  } catch (error) {
    budget.signal?.throwIfAborted();
    throw error;
  } finally {
    await release(!isComplete);
  }
}

/** Begins a transaction of one snapshot, on a replica where there is one that has it. */
const holdSnapshot = (budget: ResponseBudget, version?: Prisma.Sql) =>
  preferReplica(budget, cursorPool, async (from, first) => {
    const held = await holdConnection(from, budget.signal);
    try {
      await held.client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await makeSettings((statement, given) => held.client.query(statement, given));
      await held.client.query(settings);
      if (first) {
        await first(held.client);
        await requireFeedback(held.client);
        if (version) await requireVersion(held.client, version);
      }
      return held;
    } catch (error) {
      await held.release(true);
      throw error;
    }
  });

/** By then the replica's snapshot has been taken: what it has is not older than what the primary answers. */
async function requireVersion(replica: pg.ClientBase, { text, values }: Prisma.Sql): Promise<void> {
  const { rows } = await replica.query({ text, values });
  // Without the primary's answer nobody knows whether the replica is behind.
  const newest = await cursorPool.query({ text, values }).catch(() => undefined);
  if (!isDeepStrictEqual(rows, newest?.rows)) throw new UnfitError();
}
