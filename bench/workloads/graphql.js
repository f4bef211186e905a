import { isDeepStrictEqual } from 'node:util';
import { sendRequest, hammer, measurePrepared } from '../lib/load.js';
import { measureRounds, ratioOf } from '../lib/measure.js';
import { cookieOf } from '../lib/session.js';
import { userId } from '../seed/data.js';
import { byConnections, withWriters } from './writers.js';

/** @typedef {import('./index.js').Stage} Stage */
/** @typedef {import('../lib/contenders.js').Contender} Contender */

const account = 1;

/**
 * Tasks on three levels.
 * @param {string} task the fields of a task
 * @param {(selection: string) => string} children
 */
const nested = (task, children) => `${task} ${children(`${task} ${children(task)}`)}`;

const own = {
  query: `query { tasks(filter: { topLevel: true }, first: 100) { nodes { ${nested(
    'id title priority dueDate completed sortKey tags { name color }',
    (selection) => `children { ${selection} }`,
  )} } } }`,
};

const peers = {
  query: `query ($user: String!) {
    allTasks(condition: { spaceId: $user, parentId: null }, orderBy: [SORT_KEY_ASC, ROW_ID_ASC], first: 100) { nodes { ${nested(
      'id: rowId title priority dueDate completed sortKey tags: taskTagsByTaskId { nodes { tag: tagByTagIdAndSpaceId { name color } } }',
      (selection) =>
        `children: tasksByParentIdAndProjectId(orderBy: [SORT_KEY_ASC, ROW_ID_ASC]) { nodes { ${selection} } }`,
    )} } } }`,
};

/**
 * @param {Contender} contender
 * @returns {import('../lib/load.js').Call}
 */
export const queryOf = ({ name }, offset = 0) => ({
  path: '/graphql',
  method: 'POST',
  headers: { accept: 'application/json', ...(name === 'taskgate' && { cookie: cookieOf(account + offset) }) },
  body: JSON.stringify(name === 'taskgate' ? own : { ...peers, variables: { user: userId(account + offset) } }),
});

/**
 * Normalizes a response: PostGraphile does not order tags by name.
 * @param {any} task
 * @returns {object}
 */
const plain = ({ tags, children, ...task }) => ({
  ...task,
  tags: (tags.nodes ?? tags)
    .map((/** @type {any} */ each) => each.tag ?? each)
    .map((/** @type {any} */ { name, color }) => `${name} ${color}`)
    .sort(),
  children: (children?.nodes ?? children ?? []).map(plain),
});

/** @param {Contender[]} contenders */
async function requireEqualTasks(contenders) {
  const [first, ...others] = await Promise.all(
    contenders.map(async (contender) => {
      const { data, errors } = JSON.parse((await sendRequest(contender.url, queryOf(contender))).body);
      if (errors) throw new Error(`${contender.name}: ${JSON.stringify(errors)}`);
      return (data.tasks ?? data.allTasks).nodes.map(plain);
    }),
  );
  if (first.length !== 60 || others.some((other) => !isDeepStrictEqual(other, first))) {
    throw new Error('the GraphQL answers differ');
  }
}

/** @param {Stage} stage */
const contendersOf = ({ taskgate, postgraphile }) => [taskgate, ...(postgraphile ? [postgraphile] : [])];

const withoutPeer = (/** @type {number} */ least) => ({
  notes: ['PostGraphile could not be started here.'],
  targets: [{ text: `≥ ${least} × postgraphile`, ratio: NaN, atLeast: least }],
});

/** Without changes. @param {Stage} stage */
export async function graphql(stage) {
  const contenders = contendersOf(stage);
  await requireEqualTasks(contenders);
  const figures = await measureRounds(
    contenders,
    (contender, seconds) => hammer(contender.url, () => queryOf(contender), { seconds }),
    stage.rounds,
  );
  const [taskgate, peer] = figures;
  if (!taskgate || !peer) return { figures, ...withoutPeer(3) };
  return { figures, targets: [{ text: '≥ 3 × postgraphile', ratio: ratioOf(taskgate, peer), atLeast: 3 }] };
}

/** Each read follows a change of another client, which is not timed. @param {Stage} stage */
export async function graphqlAfterChange(stage) {
  const contenders = contendersOf(stage);
  return withWriters(contenders, account, async (change) => {
    await Promise.all(contenders.map((contender) => change(contender, 1)));
    await requireEqualTasks(contenders);
    if (contenders.length === 1) return { figures: [], ...withoutPeer(1.2) };
    return byConnections(
      (connections) =>
        measureRounds(
          contenders,
          (contender, seconds) =>
            measurePrepared(
              contender.url,
              (_count, offset) => queryOf(contender, offset),
              (count, offset) => change(contender, count, offset),
              { seconds, connections },
            ),
          stage.rounds,
        ),
      ([taskgate, peer]) => ({ text: '≥ 1.2 × postgraphile', ratio: ratioOf(taskgate, peer), atLeast: 1.2 }),
    );
  });
}
