import { list, listAfterChange, listNotModified } from './list.js';

/** @typedef {import('../lib/contenders.js').Contender} Contender */

/**
 * What a workload is given: the contenders, and how they are measured.
 * @typedef {object} Stage
 * @property {Contender} taskgate
 * @property {Contender} direct
 * @property {Contender} limit
 * @property {Parameters<typeof import('../lib/measure.js').inRounds>[2]} rounds
 */

/**
 * A figure that is promised.
 * @typedef {object} Target
 * @property {string} text
 * @property {number} ratio
 * @property {number} [atLeast]
 * @property {number} [atMost]
 */

/**
 * @typedef {object} Workload
 * @property {string} name for `--only`
 * @property {string} title
 * @property {(stage: Stage) => Promise<{ figures: import('../lib/measure.js').Figures[], targets: Target[] }>} run
 */

/** @type {Workload[]} */
export const workloads = [
  { name: 'list', title: 'GET /api/v2/todo, 100 tasks, unchanged', run: list },
  { name: 'not-modified', title: 'GET /api/v2/todo, 100 tasks, If-None-Match', run: listNotModified },
  { name: 'list-after-change', title: 'GET /api/v2/todo, 100 tasks, each read after a change', run: listAfterChange },
];
