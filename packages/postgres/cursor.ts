import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import type { ReadBudget } from './read-budget.ts';
import type { Sql } from '@prisma/client/runtime/client';
import { holdConnection } from './connection.ts';
import type { Postgres } from './postgres.ts';
import { UnfitError, requireFeedback } from './replicas.ts';
import { makeSettings } from './statements.ts';

/** Time for PostgreSQL to read a batch, and for the caller to request the next one. */
const batchMs = 60_000;

/** Settings against bad plans: with old statistics, PostgreSQL may read a whole table for every row. */
const settings = `
  SET LOCAL statement_timeout = ${batchMs};
  SET LOCAL idle_in_transaction_session_timeout = ${batchMs};
  SET LOCAL enable_seqscan = off;
  SET LOCAL enable_hashjoin = off;
  SET LOCAL enable_mergejoin = off`;

interface Batch<Row> {
  statement: number;
  rows: Row[];
}

/**
 * Reads rows in one snapshot, as fast as the caller takes them. A statement without rows yields no batch. A caller that
 * stops early closes the connection.
 * @param batchSize of the next batch
 * @param budget its signal cancels the batch; its `requiredState` allows replicas
 * @param version one row that covers the state without revisions; a replica must have the primary's row
 */
export async function* streamInSnapshot<Row extends object>(
  connections: Postgres,
  statements: readonly Sql[],
  batchSize: () => number,
  budget: ReadBudget,
  version?: Sql,
): AsyncGenerator<Batch<Row>, void> {
  const { client, release } = await holdSnapshot(connections, budget, version);
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

const holdSnapshot = (connections: Postgres, budget: ReadBudget, version?: Sql) =>
  connections.replicas.prefer(budget, connections.cursorPool, async (from, first) => {
    const held = await holdConnection(from, budget.signal);
    try {
      await held.client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await makeSettings(connections, (statement, values) => held.client.query(statement, values));
      await held.client.query(settings);
      if (first) {
        await first(held.client);
        await requireFeedback(held.client);
        if (version) await requireVersion(connections, held.client, version);
      }
      return held;
    } catch (error) {
      await held.release(true);
      throw error;
    }
  });

/** Reads the primary last, so a replica with an equal version is not behind. */
async function requireVersion({ cursorPool }: Postgres, replica: pg.ClientBase, { text, values }: Sql): Promise<void> {
  const { rows } = await replica.query({ text, values });
  const newest = await cursorPool.query({ text, values }).catch(() => undefined);
  if (!isDeepStrictEqual(rows, newest?.rows)) throw new UnfitError();
}
