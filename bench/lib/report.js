import os from 'node:os';

/** @typedef {import('../workloads/index.js').Target} Target */
/** @typedef {import('./measure.js').Figures} Figures */
/** @typedef {import('../workloads/index.js').Outcome & { name: string, title: string }} Measured */

/** @param {Target} target */
export const isMet = ({ ratio, atLeast = -Infinity, atMost = Infinity }) => ratio >= atLeast && ratio <= atMost;

/** @param {Target} target */
const verdict = (target) => (Number.isNaN(target.ratio) ? 'not measured' : isMet(target) ? 'met' : '**not met**');

const columns = ['', 'requests/s', 'p50 ms', 'p95 ms', 'p99 ms', 'CPU ms', 'PostgreSQL CPU ms', 'RSS MB'];

/** @param {Figures} figures */
const cells = ({ contender, rate, p50, p95, p99, cpu, databaseCpu, memory }) => [
  contender,
  rate.toFixed(rate < 100 ? 1 : 0),
  p50.toFixed(2),
  p95.toFixed(2),
  p99.toFixed(2),
  cpu.toFixed(3),
  databaseCpu.toFixed(3),
  memory.toFixed(0),
];

/**
 * A Markdown table with aligned columns, numbers to the right.
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function table(head, rows) {
  const widths = head.map((_, index) => Math.max(3, ...[head, ...rows].map((row) => row[index]?.length ?? 0)));
  const pad = (/** @type {string} */ cell, /** @type {number} */ index) =>
    index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0);
  const line = (/** @type {string[]} */ row) => `| ${row.map(pad).join(' | ')} |`;
  const rule = widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

const targetRow = (/** @type {Target} */ target) => [
  target.text,
  Number.isNaN(target.ratio) ? '–' : target.ratio.toFixed(2),
  verdict(target),
];

/** @param {Measured} measurements */
export function section({ title, figures, targets, notes = [] }) {
  const parts = [
    `## ${title}`,
    ...(figures.length > 0 ? [table(columns, figures.map(cells))] : []),
    ...notes,
    targets.map((target) => `- ${targetRow(target).join(': ')}`).join('\n'),
  ];
  return parts.join('\n\n');
}

/** @param {Measured[]} measurements */
const targets = (measurements) =>
  table(
    ['workload', 'target', 'figure', ''],
    measurements.flatMap(({ title, targets }) => targets.map((target) => [title, ...targetRow(target)])),
  );

/**
 * Replaces the table of targets in a page.
 * @param {string} page Markdown with the marks `<!-- bench: begin -->` and `<!-- bench: end -->`
 * @param {Measured[]} measurements
 */
export function withTargets(page, measurements) {
  const [begin, end] = ['<!-- bench: begin -->', '<!-- bench: end -->'];
  const [before, rest] = page.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (after === undefined) throw new Error('the page has no place for the targets');
  return `${before}${begin}\n\n${targets(measurements)}\n\n${end}${after}`;
}

/** @param {string} databaseVersion */
export function machine(databaseVersion) {
  const [processor] = os.cpus();
  return `Node ${process.version}, PostgreSQL ${databaseVersion}, ${os.cpus().length} × ${processor?.model ?? 'unknown processor'}, ${(os.totalmem() / 2 ** 30).toFixed(0)} GB, Linux ${os.release()};
load average at the end ${os.loadavg()[0]?.toFixed(1)}.`;
}

/**
 * The whole report in Markdown.
 * @param {Measured[]} measurements
 * @param {string} databaseVersion
 */
export function results(measurements, databaseVersion) {
  return `# Results

Written by \`npm run bench\`, with all contenders side by side in one run. [README.md](README.md) describes them.
${machine(databaseVersion)}

![Each figure in parts of its target](results.svg)

${targets(measurements)}

Figures are medians of the rounds' ratios. CPU is the CPU time of the contender's process for each request. PostgreSQL's CPU
time includes the statements that prepare a request.

${measurements.map(section).join('\n\n')}
`;
}
