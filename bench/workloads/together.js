import { withClient } from '../lib/database.js';
import { sendRequest } from '../lib/load.js';
import { measureRequests, targetOf } from '../lib/requests.js';
import { tripleRounds } from '../lib/measure.js';
import { cookieOf, signIn } from '../lib/session.js';
import { seedAccounts, userId, vacuumAnalyze } from '../seed/data.js';
import { projectOfWorkspace, seedWorkspace, workspaceTaskId } from '../seed/workspace.js';
import { withWriters } from './writers.js';

/** @typedef {import('./index.js').Stage} Stage */
/** @typedef {import('../lib/load.js').Call} Call */

/** The first account writes and reads; a comment can mention the twenty others. */
const members = Array.from({ length: 21 }, (_, index) => 401 + index);
const [reader = 0, ...others] = members;
/** Numbers of workspaces. */
const team = 10_000;
const small = 10_001;
const large = Array.from({ length: 20 }, (_, index) => 10_002 + index);
const sizes = { [team]: 1000, [small]: 100, ...Object.fromEntries(large.map((number) => [number, 5000])) };

/** @type {(path: string, body: object) => Call} */
const post = (path, body) => ({
  path,
  method: 'POST',
  headers: { cookie: cookieOf(reader), accept: 'application/json' },
  body: JSON.stringify(body),
  status: path === '/graphql' ? 200 : 201,
});

/** @param {import('pg').Client} client */
async function seed(client) {
  await seedAccounts(client, { number: reader, top: 100, middle: 0, bottom: 0 }, members.length);
  for (const [number, tasks] of Object.entries(sizes)) {
    await seedWorkspace(client, { number: Number(number), members, tasks });
  }
  await signIn(client, reader);
  await client.query('BEGIN');
  await client.query(`SET LOCAL session_replication_role = 'replica'`);
  // Whom a comment notifies, and whom the lists show.
  await client.query('UPDATE tasks SET created_by_id = $2 WHERE project_id = $1', [
    projectOfWorkspace(team),
    userId(others[0] ?? 0),
  ]);
  await client.query('UPDATE tasks SET assignee_ids = $2 WHERE project_id = $1', [
    projectOfWorkspace(small),
    others.slice(0, 2).map(userId),
  ]);
  await client.query('UPDATE tasks SET assignee_ids = $2 WHERE id = ANY ($1)', [
    large.flatMap((number) => Array.from({ length: 5 }, (_, index) => workspaceTaskId(index * 1000, number))),
    [userId(reader)],
  ]);
  await client.query('INSERT INTO task_assignees (task_id, user_id) SELECT id, unnest(assignee_ids) FROM tasks');
  await client.query('COMMIT');
  await vacuumAnalyze(client);
}

/** A comment notifies the task's creator, or everybody whom it mentions. @param {Stage} stage */
async function comments({ taskgate, rounds }) {
  const mentions = others.map((number) => `@${userId(number)}`).join(' ');
  const commentOn = (/** @type {number} */ count, text = '') =>
    post(`/api/v2/todo/${workspaceTaskId(count % 1000, team)}/comments`, { text: `Comment ${count} ${text}` });
  const figures = await measureRequests(taskgate, rounds, {
    'POST of a task': {
      call: (count) => post('/api/v2/todo', { title: `New task ${count}`, projectId: projectOfWorkspace(team) }),
    },
    comment: { call: (count) => commentOn(count) },
    'comment with 20 mentions': { call: (count) => commentOn(count, mentions) },
  });
  return {
    figures: Object.values(figures),
    targets: [
      targetOf(figures, 'comment', 'POST of a task', 1.3),
      targetOf(figures, 'comment with 20 mentions', 'POST of a task', 2),
    ],
  };
}

/** Each change is prepared by its contrary, which is not timed. @param {Stage} stage */
async function assignments({ taskgate, rounds }) {
  const ids = Array.from({ length: 1000 }, (_, task) => workspaceTaskId(task, team));
  const query =
    'mutation ($ids: [ID!]!, $input: BulkUpdateTasksInput!) { updateTasks(ids: $ids, input: $input) { count } }';
  const change = (/** @type {object} */ input) => post('/graphql', { query, variables: { ids, input } });
  const send = async (/** @type {object} */ input) => {
    const { body } = await sendRequest(taskgate.url, change(input));
    if (JSON.parse(body).data.updateTasks.count !== ids.length) throw new Error(`not all tasks were changed: ${body}`);
  };
  const assigneeIds = [userId(others[0] ?? 0)];
  const figures = await measureRequests(taskgate, tripleRounds(rounds), {
    'priority of 1,000': { call: () => change({ priority: 'HIGH' }), prepare: () => send({ priority: null }) },
    'due date of 1,000': { call: () => change({ dueDate: '2026-12-24' }), prepare: () => send({ dueDate: null }) },
    'assignment of 1,000': { call: () => change({ assigneeIds }), prepare: () => send({ assigneeIds: null }) },
  });
  return {
    figures: Object.values(figures),
    targets: ['priority of 1,000', 'due date of 1,000'].map((base) =>
      targetOf(figures, 'assignment of 1,000', base, 2),
    ),
  };
}

/** Each read follows a change, which prevents cached responses. @param {Stage} stage */
async function lists({ taskgate, rounds }) {
  const fields = 'id title priority dueDate completed';
  const tasks = (/** @type {string} */ filter, /** @type {string} */ selection) =>
    `tasks(first: 100 ${filter}) { nodes { ${selection} } }`;
  const ofProject = (/** @type {string} */ selection) =>
    `project(id: "${projectOfWorkspace(small)}") { ${tasks('', selection)} }`;
  const ofAssignee = (/** @type {number} */ account, /** @type {string} */ selection) =>
    tasks(`filter: { assigneeId: "${userId(account)}" }`, selection);
  const lists = {
    'list of a project': ofProject(fields),
    'list of own tasks': ofAssignee(reader, fields),
    'list without assignees': ofAssignee(others[0] ?? 0, fields),
    'list with assignees': ofAssignee(others[0] ?? 0, `${fields} assignees { id name }`),
  };
  const calls = Object.entries(lists).map(
    ([name, list]) => /** @type {const} */ ([name, post('/graphql', { query: `{ ${list} }` })]),
  );
  for (const [name, call] of calls) {
    const { data } = JSON.parse((await sendRequest(taskgate.url, call)).body);
    const { length } = (data.project ?? data).tasks.nodes;
    if (length !== 100) throw new Error(`the ${name} has ${length} tasks`);
  }
  return withWriters([taskgate], small, async (change) => {
    const prepare = (/** @type {number} */ count) => change(taskgate, count);
    const requests = calls.map(([name, call]) => [name, { call: () => call, prepare }]);
    const figures = await measureRequests(taskgate, rounds, Object.fromEntries(requests));
    return {
      figures: Object.values(figures),
      targets: [
        targetOf(figures, 'list of own tasks', 'list of a project', 1.5),
        targetOf(figures, 'list with assignees', 'list without assignees', 1.2),
      ],
    };
  });
}

/** Comments, assignments and "My tasks" among 100,000 tasks in 20 workspaces. @param {Stage} stage */
export async function together(stage) {
  await withClient(stage.taskgate.databaseUrl, seed);
  const outcomes = [await lists(stage), await comments(stage), await assignments(stage)];
  return {
    figures: outcomes.flatMap(({ figures }) => figures),
    targets: outcomes.flatMap(({ targets }) => targets),
  };
}
