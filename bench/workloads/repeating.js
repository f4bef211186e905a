import { syncQuery } from '../../client/dist/replica/batch.js';
import { withClient } from '../lib/database.js';
import { measurePrepared, sendRequest } from '../lib/load.js';
import { measureRounds, ratioOf } from '../lib/measure.js';
import { cookieOf, signIn } from '../lib/session.js';
import { seedAccounts, taskId, userId } from '../seed/data.js';
import { withWriters } from './writers.js';

/** @typedef {import('./index.js').Stage} Stage */
/** @typedef {import('../lib/contenders.js').Contender} Contender */
/** @typedef {import('../lib/load.js').Call} Call */
/** @typedef {import('../lib/measure.js').Figures[]} Figures */

const rule = 'FREQ=WEEKLY;BYDAY=MO,TH';
/** Of an account. */
const tasks = 2000;
const names = ['does not repeat', 'repeats'];
const accountOf = (/** @type {Contender} */ { name }) => 301 + names.indexOf(name);

/** @type {(contender: Contender, path: string, method: 'POST' | 'PUT' | 'PATCH', body: object, status?: number) => Call} */
const write = (contender, path, method, body, status = 200) => ({
  path,
  method,
  headers: { cookie: cookieOf(accountOf(contender)) },
  body: JSON.stringify(body),
  status,
});

/** @param {Contender[]} contenders */
async function seed([plain, repeating]) {
  await withClient(plain.databaseUrl, async (client) => {
    for (const number of [plain, repeating].map(accountOf)) {
      await seedAccounts(client, { number, top: tasks, middle: 0, bottom: 0 });
      await signIn(client, number);
    }
    await client.query('BEGIN');
    await client.query(`SET LOCAL session_replication_role = 'replica'`);
    await client.query(
      `UPDATE tasks SET completed = false, completed_at = NULL, due_date = '2030-01-07', due_time = NULL, is_all_day = true,
        recurrence = CASE space_id WHEN $2 THEN jsonb_build_object('rule', $3::text, 'basis', 'SCHEDULE', 'timeZone', 'UTC',
          'start', '2030-01-07', 'date', '2030-01-07', 'time', NULL, 'number', 1, 'seriesId', replace(id, 'task', 'seri')) END
      WHERE space_id IN ($1, $2)`,
      [userId(accountOf(plain)), userId(accountOf(repeating)), rule],
    );
    await client.query('COMMIT');
    await client.query('VACUUM ANALYZE tasks');
  });
}

/**
 * The completion of a new task.
 * @param {Contender[]} contenders
 * @param {number} subtasks
 * @param {Stage['rounds']} rounds
 */
const completions = (contenders, subtasks, rounds) =>
  measureRounds(
    contenders,
    (contender, seconds) => {
      let path = '';
      const post = async (/** @type {object} */ body) => {
        const { body: text } = await sendRequest(contender.url, write(contender, '/api/v2/todo', 'POST', body, 201));
        return JSON.parse(text).todo.id;
      };
      const prepare = async () => {
        const id = await post({ title: 'Water the plants', dueDate: '2030-01-07' });
        for (let count = 0; count < subtasks; count += 1) await post({ title: `Room ${count}`, parentId: id });
        path = `/api/v2/todo/${id}`;
        if (contender.name !== names[1]) return;
        await sendRequest(contender.url, write(contender, `${path}/recurrence`, 'PUT', { rule }));
      };
      const call = () => write(contender, path, 'PATCH', { completed: true });
      return measurePrepared(contender.url, call, prepare, { seconds });
    },
    rounds,
  );

/** @param {Contender[]} contenders @param {Stage['rounds']} rounds */
const bulkCompletions = (contenders, rounds) =>
  measureRounds(
    contenders,
    (contender, seconds) => {
      const ids = Array.from({ length: 1000 }, (_, task) => taskId(accountOf(contender), task));
      const patch = (/** @type {boolean} */ completed) =>
        write(contender, `/api/v2/todo/bulk?todoIds=${ids.join(',')}`, 'PATCH', { completed });
      return measurePrepared(
        contender.url,
        () => patch(true),
        () => sendRequest(contender.url, patch(false)),
        { seconds },
      );
    },
    rounds,
  );

/** The first batch of a replica, each time after a change. @param {Contender[]} contenders @param {Stage['rounds']} rounds */
const firstBatches = (contenders, rounds) =>
  withWriters(contenders, accountOf(contenders[0]), (change) =>
    measureRounds(
      contenders,
      (contender, seconds) =>
        measurePrepared(
          contender.url,
          () => write(contender, '/graphql', 'POST', { query: syncQuery(true), variables: { first: 5000 } }),
          (count) => change(contender, count, names.indexOf(contender.name)),
          { seconds },
        ),
      rounds,
    ),
  );

/** Tasks that repeat, against tasks that do not. @param {Stage} stage */
export async function repeatingTasks({ taskgate, rounds }) {
  const contenders = names.map((name) => ({ ...taskgate, name }));
  await seed(contenders);
  /** @type {[text: string, atMost: number, figures: Figures][]} */
  const measured = [
    ['first batch of 2,000', 1.5, await firstBatches(contenders, rounds)],
    ['completion of one', 3, await completions(contenders, 0, rounds)],
    ['completion with ten subtasks', 3, await completions(contenders, 10, rounds)],
    ['completion of 1,000', 5, await bulkCompletions(contenders, rounds)],
  ];
  return {
    figures: measured.flatMap(([text, , figures]) =>
      figures.map((each) => ({ ...each, contender: `${text}, ${each.contender}` })),
    ),
    targets: measured.map(([text, atMost, [plain, repeating]]) => ({
      text: `${text}: ≤ ${atMost} × the time without`,
      ratio: ratioOf(/** @type {any} */ (plain), /** @type {any} */ (repeating)),
      atMost,
    })),
  };
}
