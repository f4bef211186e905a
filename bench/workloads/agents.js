import { sendRequest } from '../lib/load.js';
import { tripleRounds } from '../lib/measure.js';
import { measureRequests, targetOf } from '../lib/requests.js';
import { withClient } from '../lib/database.js';
import { cookieOf, signIn } from '../lib/session.js';
import { large, seedAccounts, vacuumAnalyze } from '../seed/data.js';
import { withWriters } from './writers.js';

/** @typedef {import('./index.js').Stage} Stage */
/** @typedef {import('../lib/load.js').Call} Call */

const account = 520;
const tasks = 10_000;
const perPage = 25;

/** The document of `list_tasks`. */
const listTasks = `query ($filter: TaskFilter!, $orderBy: TaskOrder!, $first: Int!) {
  tasks(filter: $filter, orderBy: $orderBy, first: $first) {
    totalCount pageInfo { hasNextPage }
    edges { cursor node {
      id title priority dueDate dueTime completed parentId project { name } section { name } tags { name }
      assignees { id name email } recurrence { summary } children { id } claim { client holder { id name email } }
    } }
  }
}`;

/** @type {(query: string, variables?: object) => Call} */
const graphql = (query, variables = {}) => ({
  ...{ path: '/graphql', method: 'POST', headers: { cookie: cookieOf(account), accept: 'application/json' } },
  body: JSON.stringify({ query, variables }),
});

/** @type {(token: string, method: string, params: object) => Call} */
const mcp = (token, method, params) => ({
  path: '/mcp',
  method: 'POST',
  headers: {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
});

/** @param {string} url @param {Call} call */
const dataOf = async (url, call) => JSON.parse((await sendRequest(url, call)).body).data;

const createToken = 'mutation { createAccessToken(input: { name: "agent", scopes: [WRITE] }) { token } }';
const claimTask = 'mutation { claimTask(filter: { completed: false }, seconds: 600) { fence } }';
const releaseClaim = 'mutation ($fence: String!) { releaseClaim(fence: $fence) { id } }';
const createTask = 'mutation { createTask(input: { title: "New task" }) { id } }';
const claims = '{ claims { fence } }';

/** @param {string} url */
async function releaseAll(url) {
  for (const { fence } of (await dataOf(url, graphql(claims))).claims)
    await dataOf(url, graphql(releaseClaim, { fence }));
}

/** Tools against the same over GraphQL, and claims by a filter of 10,000 tasks against new tasks. @param {Stage} stage */
export async function agents({ taskgate, rounds }) {
  const { url, databaseUrl } = taskgate;
  await withClient(databaseUrl, async (client) => {
    await seedAccounts(client, large(account, tasks));
    await signIn(client, account);
    await vacuumAnalyze(client);
  });
  const { token } = (await dataOf(url, graphql(createToken))).createAccessToken;
  const page = { filter: { completed: false }, orderBy: 'SORT_KEY', first: perPage };
  const listed = mcp(token, 'tools/call', { name: 'list_tasks', arguments: { limit: perPage } });
  const { result } = JSON.parse((await sendRequest(url, listed)).body);
  if (result.structuredContent?.tasks.length !== perPage) throw new Error(JSON.stringify(result).slice(0, 300));
  return withWriters([taskgate], account, async (change) => {
    const afterChange = (/** @type {number} */ count) => change(taskgate, count);
    const figures = await measureRequests(taskgate, tripleRounds(rounds), {
      'tools/list': { call: () => mcp(token, 'tools/list', {}) },
      'query of list_tasks': { call: () => graphql(listTasks, page), prepare: afterChange },
      list_tasks: { call: () => listed, prepare: afterChange },
      createTask: { call: () => graphql(createTask) },
      'claimTask of 10,000': { call: () => graphql(claimTask), prepare: () => releaseAll(url) },
    });
    return {
      figures: Object.values(figures),
      targets: [
        targetOf(figures, 'list_tasks', 'query of list_tasks', 2),
        targetOf(figures, 'claimTask of 10,000', 'createTask', 2),
      ],
    };
  });
}
