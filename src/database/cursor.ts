import type { Prisma } from '../generated/prisma/client.ts';
import { holdConnection } from './connection.ts';
import { cursorPool } from './database.ts';
import { makeSettings } from './statements.ts';

/** Milliseconds that PostgreSQL may take for one batch, and that it may wait to be asked for the next one. */
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
 * @param signal cancels the batch that is being read
 */
export async function* readInSnapshot<Row extends object>(
  statements: readonly Prisma.Sql[],
  batchSize: () => number,
  signal?: AbortSignal,
): AsyncGenerator<Batch<Row>, void> {
  const { client, release } = await holdConnection(cursorPool, signal);
  let isComplete = false;
  try {
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await makeSettings((statement, given) => client.query(statement, given));
    await client.query(settings);
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
    signal?.throwIfAborted();
    throw error;
  } finally {
    await release(!isComplete);
  }
}
