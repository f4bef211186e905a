import { table } from '../lib/report.js';
import { changesPerSecond } from './delivery.js';
import { spaces } from './stage.js';

/** @typedef {Awaited<ReturnType<typeof import('./delivery.js').delivery>>} Delivery */
/** @typedef {Awaited<ReturnType<typeof import('./storm.js').storm>>} Storm */
/** @typedef {Awaited<ReturnType<typeof import('./sustained.js').findSustainedRate>>} Sustained */

/** @param {Delivery[]} rows @param {number} seconds */
export const deliverySection = (rows, seconds) => `## From commit to client

Milliseconds from a change's log entry to the subscriber of \`taskChanges\`, at ${changesPerSecond} changes a second
for ${seconds} s in ${spaces} spaces.

${table(
  Object.keys(rows[0] ?? {}),
  rows.map((row) => Object.values(row).map(String)),
)}
`;

const stormColumns = [
  'subscription',
  'what ended',
  'p50 s',
  'p99 s',
  'all live s',
  'refused',
  'CPU s',
  'PostgreSQL CPU s',
  'RSS before MB',
  'peak MB',
  'after MB',
];

/** @param {Storm[]} rows */
export const stormSection = (rows) => `## Storm

${rows[0]?.subscribers ?? 0} subscribers of ${spaces} accounts, each with its own WebSocket, lose their connections at once. Each account has a change. Then all subscribers return at
once with their last cursors. The return time (p50, p99) ends when the missed change has arrived. All are live when a further change of each
account, made after its subscribers returned, has reached them. Each subscriber got each change once. Refused attempts were repeated after a
random part of half a second, which doubles. If the service was killed, sessions and caches are cold, and the time counts from when it is ready
again. The memory before is the memory of an unused process.

${table(
  stormColumns,
  rows.map((row) => [
    row.subscription,
    row.case,
    ...[row.p50, row.p99, row.live].map((value) => value.toFixed(1)),
    String(row.refused),
    ...[row.cpu, row.databaseCpu].map((value) => value.toFixed(1)),
    ...[row.before, row.peak, row.after].map((value) => value.toFixed(0)),
  ]),
)}
`;

const percent = (/** @type {number} */ part) => `${(part * 100).toFixed(0)} %`;

/** @param {Sustained[]} rows @param {number} seconds */
export const sustainedSection = (rows, seconds) => `## Sustained

The highest rate of changes in one workspace that reached each of its subscribers for ${seconds} s with a p99 that is below 2 s and does not rise, found
by steps of 20 %. Members write through the service at that rate over 16 connections, each time to another task, without waiting for earlier
writes. The figures are milliseconds from the beginning of the write's statement to the subscriber: p50 / p99 of each quarter of the period.
CPU is in parts of a core.

${table(
  [
    'subscription',
    'subscribers',
    'changes/s',
    '1st quarter',
    '2nd',
    '3rd',
    '4th',
    'CPU',
    'PostgreSQL CPU',
    'load generator CPU',
  ],
  rows.map(({ subscription, subscribers, rate, quarters, cpu }) => [
    subscription,
    String(subscribers),
    String(rate),
    ...quarters.map(({ p50, p99 }) => `${p50} / ${p99}`),
    ...cpu.map(percent),
  ]),
)}

Failures at the next higher rates:

${rows.map(({ subscription, subscribers, beyond }) => `- \`${subscription}\`, ${subscribers}: ${beyond.rate}/s: ${beyond.fault}`).join('\n')}
`;

/** @param {string[]} sections @param {string} machine */
export const report = (sections, machine) => `# Realtime

Written by \`npm --prefix bench run realtime\`. One process serves the subscribers over WebSocket. The load generator and
PostgreSQL run on the same machine.
${machine}

${sections.join('\n')}`;
