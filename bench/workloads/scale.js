import { measurePrepared } from '../lib/load.js';
import { measureRounds, ratioOf } from '../lib/measure.js';
import { cookieOf } from '../lib/session.js';
import { listAccount, searchAccount, taskId } from '../seed/data.js';
import { withWriters } from './writers.js';

/** @typedef {import('./index.js').Stage} Stage */
/** @typedef {import('../lib/contenders.js').Contender} Contender */

/** Exists in every database. */
const ordinaryAccount = 1;

/** @type {(contender: Contender, name: string) => Contender} the process under another name */
const as = (contender, name) => ({ ...contender, name });

/** Each read follows a change, which prevents cached responses. @param {Stage} stage */
export async function longList({ large, rounds }) {
  const [short, long] = [as(large, 'list of 100'), as(large, 'list of 10,000')];
  const accountOf = (/** @type {Contender} */ contender) => (contender === long ? listAccount : ordinaryAccount);
  return withWriters([large], ordinaryAccount, (changeShort) =>
    withWriters([large], listAccount, async (changeLong) => {
      const figures = await measureRounds(
        [short, long],
        (contender, seconds) =>
          measurePrepared(
            contender.url,
            () => ({ path: '/api/v2/todo', headers: { cookie: cookieOf(accountOf(contender)) } }),
            (count) => (contender === long ? changeLong : changeShort)(contender, count),
            { seconds },
          ),
        rounds,
      );
      const [shortFigure, longFigure] = /** @type {[any, any]} */ (figures);
      const ratio = ratioOf(shortFigure, longFigure) / 100;
      return { figures, targets: [{ text: 'time per task ≤ 1.2 × the time in the list of 100', ratio, atMost: 1.2 }] };
    }),
  );
}

/** The same list in a small and a large database, each time after a change. @param {Stage} stage */
export async function manyTasks({ taskgate, million, rounds }) {
  const contenders = [as(taskgate, 'among 10,000'), as(million, 'among 1,000,000')];
  return withWriters(contenders, ordinaryAccount, async (change) => {
    const figures = await measureRounds(
      contenders,
      (contender, seconds) =>
        measurePrepared(
          contender.url,
          () => ({ path: '/api/v2/todo', headers: { cookie: cookieOf(ordinaryAccount) } }),
          (count) => change(contender, count),
          { seconds },
        ),
      rounds,
    );
    const [few, many] = /** @type {[any, any]} */ (figures);
    return { figures, targets: [{ text: '≥ 0.9 × the rate among 10,000', ratio: ratioOf(many, few), atLeast: 0.9 }] };
  });
}

const words = ['invoice', 'garden', 'meeting', 'ticket', 'report', 'kitchen', 'budget', 'travel', 'review', 'library'];
const wordOf = (/** @type {number} */ number) => words[number % words.length] ?? '';

/** Swaps two letters. */
const misspelt = (/** @type {string} */ word) => `${word.slice(0, 2)}${word[3]}${word[2]}${word.slice(4)}`;

/**
 * Searches, mostly with many matches. A number distinguishes them and prevents cached responses.
 * @type {((number: number) => string)[]}
 */
const searches = [
  (number) => `${wordOf(number)} ${number}`,
  (number) => `${wordOf(number).slice(0, 4)} ${wordOf(number + 3).slice(0, 3)} ${number % 100}`,
  (number) => `${misspelt(wordOf(number))} ${number}`,
  (number) => `${wordOf(number)} ${wordOf(number + 1 + (number % 9))} ${number % 10}`,
  (number) => `nothing${number}`,
];

const readTask =
  'query ($id: ID!) { task(id: $id) { id title description priority dueDate completed parentId projectId } }';

/** All requests are distinct. @param {Stage} stage */
export async function search({ large, rounds }) {
  const headers = { cookie: cookieOf(searchAccount), accept: 'application/json' };
  const [byKey, bySearch] = [as(large, 'read by primary key'), as(large, 'search')];
  let sent = 0;
  /** @type {(contender: Contender) => import('../lib/load.js').Call} */
  const next = (contender) => {
    const number = (sent += 1);
    if (contender === bySearch) {
      const query = searches[number % searches.length]?.(Math.floor(number / searches.length)) ?? '';
      return { path: `/api/v2/todo/search?q=${encodeURIComponent(query)}`, headers };
    }
    const variables = { id: taskId(searchAccount, (number * 7919) % 100_000) };
    return { path: '/graphql', method: 'POST', headers, body: JSON.stringify({ query: readTask, variables }) };
  };
  const figures = await measureRounds(
    [byKey, bySearch],
    (contender, seconds) =>
      measurePrepared(
        contender.url,
        () => next(contender),
        () => Promise.resolve(),
        { seconds },
      ),
    rounds,
  );
  const [key, found] = /** @type {[any, any]} */ (figures);
  const ratio = found.p95 / key.p95;
  return { figures, targets: [{ text: 'p95 ≤ 30 × the p95 of a read by primary key', ratio, atMost: 30 }] };
}
