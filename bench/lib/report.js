/** @typedef {import('../workloads/index.js').Target} Target */
/** @typedef {import('./measure.js').Figures} Figures */

/**
 * A workload with what was measured.
 * @typedef {object} Outcome
 * @property {string} title
 * @property {Figures[]} figures
 * @property {Target[]} targets
 */

/** @param {Target} target */
export const isMet = ({ ratio, atLeast = -Infinity, atMost = Infinity }) => ratio >= atLeast && ratio <= atMost;

/** @param {Target} target */
export const targetLine = (target) => `${isMet(target) ? 'met' : 'MISSED'}: ${target.text}: ${target.ratio.toFixed(2)}`;

const columns = ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU ms', 'PostgreSQL CPU ms', 'RSS MB'];

/** @param {Figures} figures */
const cells = ({ contender, rate, p50, p99, cpu, databaseCpu, memory }) => [
  contender,
  rate.toFixed(0),
  p50.toFixed(2),
  p99.toFixed(2),
  cpu.toFixed(3),
  databaseCpu.toFixed(3),
  memory.toFixed(0),
];

/**
 * A workload's table, in Markdown that reads well on a terminal too.
 * @param {Figures[]} figures
 */
export function table(figures) {
  const rows = [columns, ...figures.map(cells)];
  const widths = columns.map((_column, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  const line = (/** @type {string[]} */ row) =>
    `| ${row.map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(columns), rule, ...figures.map((each) => line(cells(each)))].join('\n');
}
