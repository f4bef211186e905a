import { sendRequest, measurePrepared } from '../lib/load.js';
import { withClient } from '../lib/database.js';
import { measureRounds, ratioOf, tripleRounds } from '../lib/measure.js';
import { cookieOf } from '../lib/session.js';
import { bulkAccount, listAccount, taskId } from '../seed/data.js';
import { withWriters } from './writers.js';

/** @typedef {import('./index.js').Stage} Stage */
/** @typedef {import('../lib/contenders.js').Contender} Contender */
/** @typedef {import('../lib/load.js').Call} Call */

const headers = { cookie: cookieOf(bulkAccount) };
const ids = Array.from({ length: 1000 }, (_, task) => taskId(bulkAccount, task)).join(',');
const path = `/api/v2/todo/bulk?todoIds=${ids}`;

/** @type {(reminder: boolean) => Call} */
const update = (reminder) => ({ path, method: 'PATCH', headers, body: JSON.stringify({ reminder }) });

/** @type {Call} */
const deletion = { path, method: 'DELETE', headers };

const undoOf = (/** @type {string} */ operation) => ({
  path: `/api/v2/operations/${operation}/undo`,
  method: /** @type {const} */ ('POST'),
  headers,
});

/**
 * Measures an operation on 1,000 tasks and its undo. Each alternates with the other.
 * @param {Contender} contender
 * @param {Call} call
 * @param {[string, string]} names
 * @param {Stage['rounds']} rounds
 */
async function measureWithUndo(contender, call, names, rounds) {
  const [forward, backward] = names.map((name) => ({ ...contender, name }));
  let last = '';
  const send = async (/** @type {Call} */ one) => {
    last = (await sendRequest(contender.url, one)).headers['x-operation-id'] ?? '';
  };
  const figures = await measureRounds(
    /** @type {Contender[]} */ ([forward, backward]),
    async ({ name }, seconds) => {
      if (name === names[0]) {
        // Undoes the timed operation, which is the newest one.
        const newest = async () => {
          const query = JSON.stringify({ query: '{ operations(first: 1) { nodes { id undoOf } } }' });
          const response = await sendRequest(contender.url, { path: '/graphql', method: 'POST', headers, body: query });
          const [operation] = JSON.parse(response.body).data.operations.nodes;
          if (operation && operation.undoOf === null) await send(undoOf(operation.id));
        };
        const sample = await measurePrepared(contender.url, () => call, newest, { seconds });
        await newest();
        return sample;
      }
      return measurePrepared(
        contender.url,
        () => undoOf(last),
        () => send(call),
        { seconds },
      );
    },
    rounds,
  );
  return figures;
}

/** Cost of an undo relative to its operation. @param {Stage} stage */
export async function undo({ taskgate, rounds }) {
  // Each update changes every task. The newest operation must be an undo, which is not undone.
  await sendRequest(taskgate.url, update(true));
  const { headers: updateHeaders } = await sendRequest(taskgate.url, update(false));
  await sendRequest(taskgate.url, undoOf(updateHeaders['x-operation-id'] ?? ''));
  const updates = await measureWithUndo(taskgate, update(false), ['update of 1,000', 'undo of the update'], rounds);
  const deletions = await measureWithUndo(
    taskgate,
    deletion,
    ['deletion of 1,000', 'undo of the deletion'],
    tripleRounds(rounds),
  );
  const ratio = ([forward, backward]) => ratioOf(forward, backward);
  return {
    figures: [...updates, ...deletions],
    targets: [
      { text: 'undo ≤ 2.5 × the time of the update', ratio: ratio(updates), atMost: 2.5 },
      { text: 'undo ≤ 2.5 × the time of the deletion', ratio: ratio(deletions), atMost: 2.5 },
    ],
  };
}

/** List and search in an account with 100,000 deleted tasks in its history, compared to one without. @param {Stage} stage */
export async function deletedTasks({ large, deleted, rounds: usual }) {
  // A list of 10,000 tasks is slow, so each round has few.
  const rounds = tripleRounds(usual);
  const contenders = [
    { ...large, name: 'without' },
    { ...deleted, name: 'with 100,000 deleted' },
  ];
  const own = { cookie: cookieOf(listAccount) };
  let number = 0;
  return withWriters(contenders, listAccount, async (change) => {
    const lists = await measureRounds(
      contenders,
      ({ url }, seconds) =>
        measurePrepared(
          url,
          () => ({ path: '/api/v2/todo', headers: own }),
          (count) => change(url === large.url ? contenders[0] : contenders[1], count),
          { seconds },
        ),
      rounds,
    );
    const searches = await measureRounds(
      contenders,
      ({ url }, seconds) =>
        measurePrepared(
          url,
          () => ({ path: `/api/v2/todo/search?q=garden%20${(number += 1)}`, headers: own }),
          () => Promise.resolve(),
          { seconds },
        ),
      rounds,
    );
    return {
      figures: [...lists, ...searches],
      targets: [
        { text: 'list ≥ 0.9 × the rate without', ratio: ratioOf(lists[1], lists[0]), atLeast: 0.9 },
        { text: 'search ≥ 0.9 × the rate without', ratio: ratioOf(searches[1], searches[0]), atLeast: 0.9 },
      ],
    };
  });
}

/** Bytes of 1,000,000 changes in history and log, extrapolated from 100,000. @param {Stage} stage */
export async function historySize({ taskgate }) {
  const account = bulkAccount;
  const bytes = await withClient(taskgate.databaseUrl, async (client) => {
    const sizes = async () => {
      const { rows } = await client.query(
        `SELECT pg_total_relation_size('history') AS history,
           (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('changes')) AS changes`,
      );
      return [Number(rows[0].history), Number(rows[0].changes)];
    };
    const [history, changes] = await sizes();
    const tasks = Array.from({ length: 1000 }, (_, task) => taskId(account, task));
    for (let count = 0; count < 100; count += 1) {
      await client.query("UPDATE tasks SET title = 'Changed by ' || $1::text, priority = $2 WHERE id = ANY ($3)", [
        count,
        count % 2 === 0 ? 'HIGH' : 'LOW',
        tasks,
      ]);
    }
    const after = await sizes();
    return [(after[0] ?? 0) - (history ?? 0), (after[1] ?? 0) - (changes ?? 0)];
  });
  const [history, changes] = bytes.map((each) => each / 100_000);
  return {
    figures: [],
    notes: [
      `Bulk changes of two fields take ${history?.toFixed(0)} bytes each in the history and ${changes?.toFixed(0)} in the log: 1,000,000 changes take ${((history ?? 0) + (changes ?? 0)).toFixed(0)} MB.`,
    ],
    targets: [{ text: 'history ≤ 4 × the log', ratio: (history ?? NaN) / (changes ?? NaN), atMost: 4 }],
  };
}
