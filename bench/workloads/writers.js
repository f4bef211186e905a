import pg from 'pg';
import { taskId, userId } from '../seed/data.js';

/** @typedef {import('../lib/contenders.js').Contender} Contender */

/**
 * Lets `work` change an account's tasks by SQL in the database of each contender.
 * @template Result
 * @param {Contender[]} contenders
 * @param {number} account
 * @param {(change: (contender: Contender, count: number) => Promise<unknown>) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withWriters(contenders, account, work) {
  const writers = new Map(
    [...new Set(contenders.map(({ databaseUrl }) => databaseUrl))].map((url) => [
      url,
      new pg.Client({ connectionString: url }),
    ]),
  );
  await Promise.all([...writers.values()].map((writer) => writer.connect()));
  // The contenders received different numbers of changes. Makes all databases equal again.
  const settle = () =>
    Promise.all(
      [...writers.values()].map((writer) =>
        writer.query(`UPDATE tasks SET title = 'Settled ' || right(id, 4) WHERE space_id = $1`, [userId(account)]),
      ),
    );
  try {
    return await work(async ({ databaseUrl }, count) =>
      writers.get(databaseUrl)?.query({
        name: 'change',
        text: 'UPDATE tasks SET title = $2 WHERE id = $1',
        values: [taskId(account, count % 100), `Changed for the ${count}. time`],
      }),
    );
  } finally {
    await settle();
    await Promise.all([...writers.values()].map((writer) => writer.end()));
  }
}
