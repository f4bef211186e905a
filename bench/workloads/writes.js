import { isDeepStrictEqual } from 'node:util';
import { sendRequest, hammer, measurePrepared } from '../lib/load.js';
import { measureRounds, ratioOf, tripleRounds } from '../lib/measure.js';
import { cookieOf } from '../lib/session.js';
import { bulkAccount, firstWriter, taskId, writers } from '../seed/data.js';
import { byConnections } from './writers.js';

/** @typedef {import('./index.js').Stage} Stage */

/** @type {(count: number) => import('../lib/load.js').Call} accounts in turn */
export const post = (count) => ({
  path: '/api/v2/todo',
  method: 'POST',
  headers: { cookie: cookieOf(firstWriter + (count % writers)) },
  body: JSON.stringify({
    title: `New task ${count}`,
    description: 'Of a client',
    priority: 'high',
    dueDate: '2026-12-24',
  }),
  status: 201,
});

/** @type {(count: number) => import('../lib/load.js').Call} a new title, for a task of one account after the other */
const rename = (count) => {
  const account = firstWriter + (count % writers);
  return {
    path: `/api/v2/todo/${taskId(account, Math.floor(count / writers) % 100)}`,
    method: 'PATCH',
    headers: { cookie: cookieOf(account) },
    body: JSON.stringify({ title: `Renamed for the ${count}. time` }),
  };
};

/**
 * Writes to `taskgate` and `direct`, which logs no change: its database has no triggers.
 * @param {(count: number) => import('../lib/load.js').Call} call
 * @param {number} atLeast
 * @returns {(stage: Stage) => Promise<import('./index.js').Outcome>}
 */
const againstDirect =
  (call, atLeast) =>
  async ({ taskgate, direct, rounds }) => {
    const contenders = [taskgate, direct];
    const [left, right] = await Promise.all(
      contenders.map(async ({ url }) => {
        const { todo, ...rest } = JSON.parse((await sendRequest(url, call(0))).body);
        const { id, ...fields } = todo;
        return { ...rest, ...fields, id: typeof id };
      }),
    );
    if (!isDeepStrictEqual(left, right)) throw new Error(`${JSON.stringify(left)} and ${JSON.stringify(right)} differ`);
    let count = 0;
    return byConnections(
      (connections) =>
        measureRounds(
          contenders,
          ({ url }, seconds) => hammer(url, () => call((count += 1)), { seconds, connections }),
          tripleRounds(rounds),
        ),
      ([own, directFigure]) => ({ text: `≥ ${atLeast} × direct`, ratio: ratioOf(own, directFigure), atLeast }),
    );
  };

export const create = againstDirect(post, 0.9);
export const update = againstDirect(rename, 0.7);

const ids = Array.from({ length: 1000 }, (_, task) => taskId(bulkAccount, task)).join(',');

/** @type {(count: number) => import('../lib/load.js').Call} each call changes every task */
export const patch = (count) => ({
  path: `/api/v2/todo/bulk?todoIds=${ids}`,
  method: 'PATCH',
  headers: { cookie: cookieOf(bulkAccount) },
  body: JSON.stringify({ reminder: count % 2 === 0 }),
});

/** `limit` runs the bare UPDATE, on a table with few indexes. @param {Stage} stage */
export async function bulk({ taskgate, limit, rounds }) {
  const contenders = [taskgate, limit];
  for (const { url, name } of contenders) {
    const { todos } = JSON.parse((await sendRequest(url, patch(1))).body);
    if (todos !== 1000) throw new Error(`${name} changed ${todos} tasks`);
  }
  let count = 0;
  const figures = await measureRounds(
    contenders,
    ({ url }, seconds) =>
      measurePrepared(
        url,
        () => patch((count += 1)),
        () => Promise.resolve(),
        { seconds },
      ),
    rounds,
  );
  const [own, limitFigure] = /** @type {[any, any]} */ (figures);
  return { figures, targets: [{ text: '≤ 1.8 × the time of limit', ratio: ratioOf(limitFigure, own), atMost: 1.8 }] };
}
