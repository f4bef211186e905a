import { agents } from './agents.js';
import { graphql, graphqlAfterChange } from './graphql.js';
import { deletedTasks, historySize, undo } from './history.js';
import { list, listAfterChange, listNotModified } from './list.js';
import { memoryAfterLoad } from './memory.js';
import { repeatingTasks } from './repeating.js';
import { longList, manyTasks, search } from './scale.js';
import { startAndIdle } from './start.js';
import { together } from './together.js';
import { webhooks } from './webhooks.js';
import { bulk, create, update } from './writes.js';

/** @typedef {import('../lib/contenders.js').Contender} Contender */

/**
 * The contenders and settings of a workload.
 * @typedef {object} Stage
 * @property {Contender} taskgate 10,000 tasks in 100 accounts
 * @property {Contender} large accounts with 10,000 and 100,000 tasks
 * @property {Contender} deleted as `large`, with 100,000 deleted tasks in the account of 10,000
 * @property {Contender} million 1,000,000 tasks in 10,000 accounts
 * @property {Contender} direct
 * @property {Contender} limit
 * @property {Contender | undefined} postgraphile undefined if it cannot start
 * @property {string} service folder of the built service
 * @property {Parameters<typeof import('../lib/measure.js').measureRounds>[2]} rounds
 */

/**
 * A promised figure.
 * @typedef {object} Target
 * @property {string} text
 * @property {number} ratio NaN if it could not be measured
 * @property {number} [atLeast]
 * @property {number} [atMost]
 */

/**
 * @typedef {object} Outcome
 * @property {import('../lib/measure.js').Figures[]} figures
 * @property {Target[]} targets
 * @property {string[]} [notes]
 */

/**
 * @typedef {object} Workload
 * @property {string} name for `--only`
 * @property {string} title
 * @property {import('../lib/stage.js').Name[]} needs contenders
 * @property {(stage: Stage) => Promise<Outcome>} run
 */

/** @type {Workload[]} */
export const workloads = [
  {
    name: 'list',
    title: 'GET /api/v2/todo, 100 tasks, unchanged',
    needs: ['taskgate', 'direct', 'limit'],
    run: list,
  },
  {
    name: 'not-modified',
    title: 'GET /api/v2/todo, 100 tasks, If-None-Match',
    needs: ['taskgate', 'direct'],
    run: listNotModified,
  },
  {
    name: 'list-after-change',
    title: 'GET /api/v2/todo, 100 tasks, each read after a change',
    needs: ['taskgate', 'direct', 'limit'],
    run: listAfterChange,
  },
  {
    name: 'graphql',
    title: '/graphql, 100 tasks on 3 levels with tags, unchanged',
    needs: ['taskgate', 'postgraphile'],
    run: graphql,
  },
  {
    name: 'graphql-after-change',
    title: '/graphql, 100 tasks on 3 levels with tags, each read after a change',
    needs: ['taskgate', 'postgraphile'],
    run: graphqlAfterChange,
  },
  { name: 'create', title: 'POST /api/v2/todo', needs: ['taskgate', 'direct'], run: create },
  { name: 'update', title: 'PATCH /api/v2/todo/{id} of a title', needs: ['taskgate', 'direct'], run: update },
  { name: 'bulk', title: 'PATCH /api/v2/todo/bulk, 1,000 tasks', needs: ['taskgate', 'limit'], run: bulk },
  {
    name: 'repeating',
    title: 'Tasks that repeat, against tasks that do not',
    needs: ['taskgate'],
    run: repeatingTasks,
  },
  {
    name: 'together',
    title: 'Comments, assignments and lists in workspaces of 21 members',
    needs: ['taskgate'],
    run: together,
  },
  {
    name: 'webhooks',
    title: 'Webhooks: messages to one endpoint, and writes to a space of 20 webhooks',
    needs: ['taskgate'],
    run: webhooks,
  },
  {
    name: 'agents',
    title: 'MCP against GraphQL, each read after a change, and claims in 10,000 tasks',
    needs: ['taskgate'],
    run: agents,
  },
  { name: 'undo', title: 'Undo of 1,000 tasks, relative to the undone operation', needs: ['taskgate'], run: undo },
  {
    name: 'deleted-tasks',
    title: 'List and search of 10,000 tasks, with 100,000 deleted ones in the history',
    needs: ['large', 'deleted'],
    run: deletedTasks,
  },
  { name: 'history-size', title: 'Size of the history', needs: ['taskgate'], run: historySize },
  { name: 'long-list', title: 'GET /api/v2/todo, 10,000 tasks against 100', needs: ['large'], run: longList },
  {
    name: 'many-tasks',
    title: 'GET /api/v2/todo, 100 tasks, with 1,000,000 in the database against 10,000',
    needs: ['taskgate', 'million'],
    run: manyTasks,
  },
  { name: 'search', title: 'GET /api/v2/todo/search in 100,000 own tasks', needs: ['large'], run: search },
  { name: 'memory', title: 'Memory after reads and writes of all kinds', needs: ['taskgate'], run: memoryAfterLoad },
  { name: 'start', title: 'Start on 10,000 tasks, and idle memory', needs: [], run: startAndIdle },
];
