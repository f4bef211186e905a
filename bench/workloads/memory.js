import { hammer } from '../lib/load.js';
import { cookieOf } from '../lib/session.js';
import { memoryOf, peakMemoryOf, resetPeakMemory } from '../lib/usage.js';
import { firstWriter, writers } from '../seed/data.js';
import { queryOf } from './graphql.js';
import { listOf } from './list.js';
import { patch, post } from './writes.js';

/** @typedef {import('./index.js').Stage} Stage */

/** Rounds relative to other workloads: memory of one kind of request must be reused for the next. */
const parts = 5;

/**
 * Reads and writes of all kinds in turn, as a client sends that shows its list after each change.
 * @type {(contender: import('../lib/contenders.js').Contender) => (count: number) => import('../lib/load.js').Call}
 */
const mixed = (contender) => (count) => {
  const kind = count % 100;
  if (kind === 0) return patch(count / 100);
  if (kind % 4 === 1) return post(count);
  const cookie = cookieOf(firstWriter + (count % writers));
  if (kind % 4 === 2) return { path: '/api/v2/todo?completed=false', headers: { cookie } };
  if (kind % 4 === 3) return { ...queryOf(contender), headers: { cookie } };
  return listOf(contender);
};

/** @param {Stage} stage */
export async function memoryAfterLoad({ taskgate, rounds }) {
  await resetPeakMemory(taskgate.pid);
  /** @type {number[]} */
  const after = [];
  for (let round = 0; round < rounds.rounds * parts; round += 1) {
    const { rate } = await hammer(taskgate.url, mixed(taskgate), { seconds: rounds.seconds });
    after.push(await memoryOf(taskgate.pid));
    rounds.onSample(`${rate.toFixed(0)}/s, ${after.at(-1)?.toFixed(0)} MB`);
  }
  const last = after.at(-1) ?? NaN;
  return {
    figures: [],
    notes: [
      `Resident after each part: ${after.map((size) => size.toFixed(0)).join(', ')} MB; at most ${(await peakMemoryOf(taskgate.pid)).toFixed(0)} MB.`,
    ],
    targets: [{ text: 'memory after load ≤ 220 MB', ratio: last, atMost: 220 }],
  };
}
