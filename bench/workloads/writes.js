import { isDeepStrictEqual } from 'node:util';
import { ask, hammer, inTurn } from '../lib/load.js';
import { inRounds, ratioOf, thrice } from '../lib/measure.js';
import { cookieOf } from '../lib/session.js';
import { bulkAccount, firstWriter, taskId, writers } from '../seed/data.js';

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

/** `direct` logs no changes: its database has no triggers. @param {Stage} stage */
export async function create({ taskgate, direct, rounds }) {
  const contenders = [taskgate, direct];
  const [left, right] = await Promise.all(
    contenders.map(async ({ url }) => {
      const { todo, ...rest } = JSON.parse((await ask(url, post(0))).body);
      const { id, ...fields } = todo;
      return { ...rest, ...fields, id: typeof id };
    }),
  );
  if (!isDeepStrictEqual(left, right)) throw new Error(`${JSON.stringify(left)} and ${JSON.stringify(right)} differ`);
  const figures = await inRounds(contenders, ({ url }, seconds) => hammer(url, post, { seconds }), thrice(rounds));
  const [own, byDirect] = /** @type {[any, any]} */ (figures);
  return { figures, targets: [{ text: '≥ 0.9 × direct', ratio: ratioOf(own, byDirect), atLeast: 0.9 }] };
}

const ids = Array.from({ length: 1000 }, (_, task) => taskId(bulkAccount, task)).join(',');

/** @type {(count: number) => import('../lib/load.js').Call} each call changes every task */
export const patch = (count) => ({
  path: `/api/v2/todo/bulk?todoIds=${ids}`,
  method: 'PATCH',
  headers: { cookie: cookieOf(bulkAccount) },
  body: JSON.stringify({ reminder: count % 2 === 0 }),
});

/** `limit` runs the plain UPDATE in a database without triggers. @param {Stage} stage */
export async function bulk({ taskgate, limit, rounds }) {
  const contenders = [taskgate, limit];
  for (const { url, name } of contenders) {
    const { todos } = JSON.parse((await ask(url, patch(1))).body);
    if (todos !== 1000) throw new Error(`${name} changed ${todos} tasks`);
  }
  let count = 0;
  const figures = await inRounds(
    contenders,
    ({ url }, seconds) =>
      inTurn(
        url,
        () => patch((count += 1)),
        () => Promise.resolve(),
        { seconds },
      ),
    rounds,
  );
  const [own, byLimit] = /** @type {[any, any]} */ (figures);
  return { figures, targets: [{ text: '≤ 2 × the time of limit', ratio: ratioOf(byLimit, own), atMost: 2 }] };
}
