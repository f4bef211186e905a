import pg from 'pg';
import { taskId, userId } from '../seed/data.js';

/** How many clients read, or write, at once in the workloads of more than one. */
export const connections = 10;

/** @typedef {import('../lib/contenders.js').Contender} Contender */

/**
 * Lets work change tasks of accounts by SQL, in the database of each contender.
 * @template Result
 * @param {Contender[]} contenders
 * @param {number} account the first one; `offset` selects a later one
 * @param {(change: (contender: Contender, count: number, offset?: number) => Promise<unknown>) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withWriters(contenders, account, work) {
  const writers = new Map(
    [...new Set(contenders.map(({ databaseUrl }) => databaseUrl))].map((url) => [
      url,
      new pg.Pool({ connectionString: url, max: connections }),
    ]),
  );
  // The contenders saw different numbers of changes: afterwards all databases log the same again.
  const equalizeDatabases = () =>
    Promise.all(
      [...writers.values()].map((writer) =>
        writer.query(`UPDATE tasks SET title = 'Settled ' || right(id, 4) WHERE space_id = ANY ($1)`, [
          Array.from({ length: connections }, (_, offset) => userId(account + offset)),
        ]),
      ),
    );
  try {
    return await work(async ({ databaseUrl }, count, offset = 0) =>
      writers.get(databaseUrl)?.query({
        name: 'change',
        text: 'UPDATE tasks SET title = $2 WHERE id = $1',
        values: [taskId(account + offset, count % 100), `Changed for the ${count}. time`],
      }),
    );
  } finally {
    await equalizeDatabases();
    await Promise.all([...writers.values()].map((writer) => writer.end()));
  }
}

/**
 * Measures with one connection and with ten.
 * @param {(connections: number) => Promise<import('../lib/measure.js').Figures[]>} measure
 * @param {(figures: any) => import('./index.js').Target} targetOf
 * @returns {Promise<import('./index.js').Outcome>}
 */
export async function byConnections(measure, targetOf) {
  const [alone, together] = [await measure(1), await measure(connections)];
  const labelled = together.map((each) => ({ ...each, contender: `${each.contender}, ${connections} at once` }));
  const target = targetOf(together);
  return {
    figures: [...alone, ...labelled],
    targets: [targetOf(alone), { ...target, text: `${target.text}, ${connections} at once` }],
  };
}
