import { hammer, measurePrepared, sendRequest } from '../lib/load.js';
import { measureRounds, ratioOf, requireEqualResponses } from '../lib/measure.js';
import { cookieOf } from '../lib/session.js';
import { userId } from '../seed/data.js';
import { byConnections, withWriters } from './writers.js';

/** @typedef {import('./index.js').Stage} Stage */
/** @typedef {import('../lib/contenders.js').Contender} Contender */

const account = 1;

/**
 * The request of each contender, with a session or a header.
 * @param {Contender} contender
 * @returns {import('../lib/load.js').Call}
 */
export const listOf = ({ name }, offset = 0) => ({
  path: '/api/v2/todo',
  headers: name === 'limit' ? { 'x-user': userId(account + offset) } : { cookie: cookieOf(account + offset) },
});

/**
 * Reads 100 tasks with tags and subtasks, without changes.
 * @param {Stage} stage
 */
export async function list({ taskgate, direct, limit, rounds }) {
  const contenders = [taskgate, direct, limit];
  await requireEqualResponses(contenders, listOf);
  const figures = await measureRounds(
    contenders,
    (contender, seconds) => hammer(contender.url, () => listOf(contender), { seconds }),
    rounds,
  );
  const [own, directFigure, limitFigure] = /** @type {[any, any, any]} */ (figures);
  return {
    figures,
    targets: [
      { text: '≥ 8 × direct', ratio: ratioOf(own, directFigure), atLeast: 8 },
      { text: '≥ 1.5 × limit', ratio: ratioOf(own, limitFigure), atLeast: 1.5 },
    ],
  };
}

/**
 * The same with a current ETag: the response is 304. `direct` uses Express' own ETag, which needs the whole response.
 * @param {Stage} stage
 */
export async function listNotModified({ taskgate, direct, rounds }) {
  const contenders = [taskgate, direct];
  /** @type {Map<string, import('../lib/load.js').Call>} */
  const calls = new Map();
  for (const contender of contenders) {
    const call = listOf(contender);
    const { etag = '' } = (await sendRequest(contender.url, call)).headers;
    calls.set(contender.name, { ...call, headers: { ...call.headers, 'if-none-match': etag }, status: 304 });
  }
  const figures = await measureRounds(
    contenders,
    ({ name, url }, seconds) => hammer(url, () => /** @type {any} */ (calls.get(name)), { seconds }),
    rounds,
  );
  const [own, directFigure] = /** @type {[any, any]} */ (figures);
  return { figures, targets: [{ text: '≥ 12 × direct', ratio: ratioOf(own, directFigure), atLeast: 12 }] };
}

/**
 * The same list, each time after a change of another client, which is not timed.
 * @param {Stage} stage
 */
export async function listAfterChange({ taskgate, direct, limit, rounds }) {
  const contenders = [taskgate, direct, limit];
  return withWriters(contenders, account, async (change) => {
    for (let count = 0; count < 3; count += 1) {
      // The two share a database, where repeating a change has no effect.
      await Promise.all([taskgate, direct].map((contender) => change(contender, count)));
      await requireEqualResponses(contenders, listOf);
    }
    return byConnections(
      (connections) =>
        measureRounds(
          contenders,
          (contender, seconds) =>
            measurePrepared(
              contender.url,
              (_count, offset) => listOf(contender, offset),
              (count, offset) => change(contender, count, offset),
              { seconds, connections },
            ),
          rounds,
        ),
      ([own, directFigure]) => ({ text: '≥ 2.5 × direct', ratio: ratioOf(own, directFigure), atLeast: 2.5 }),
    );
  });
}
