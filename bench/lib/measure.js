import { isDeepStrictEqual } from 'node:util';
import { sendRequest } from './load.js';
import { cpuOf, memoryOf } from './usage.js';

/** @typedef {import('./contenders.js').Contender} Contender */
/** @typedef {import('./load.js').Call} Call */
/** @typedef {import('./load.js').Sample} Sample */

/**
 * @typedef {object} Figures
 * @property {string} contender
 * @property {number[]} rates requests a second, one per round
 * @property {number} rate their median
 * @property {number} p50 in ms
 * @property {number} p95
 * @property {number} p99
 * @property {number} cpu of the contender's process, ms per request
 * @property {number} databaseCpu of PostgreSQL, ms per request, including preparations
 * @property {number} memory RSS afterwards, MB
 */

/**
 * @param {Contender[]} contenders
 * @param {(contender: Contender) => Call} callOf
 * @throws if two responses differ
 */
export async function requireEqualResponses(contenders, callOf) {
  const [first, ...others] = await Promise.all(
    contenders.map(async (contender) => ({
      name: contender.name,
      answer: JSON.parse((await sendRequest(contender.url, callOf(contender))).body),
    })),
  );
  for (const { name, answer } of others) {
    const place = difference(first?.answer, answer);
    if (place !== undefined) throw new Error(`the answers of ${first?.name} and ${name} differ at ${place}`);
  }
}

/**
 * The first difference of two values.
 * @param {unknown} left
 * @param {unknown} right
 * @returns {string | undefined}
 */
function difference(left, right, path = '$') {
  if (isDeepStrictEqual(left, right)) return undefined;
  if (typeof left !== 'object' || typeof right !== 'object' || !left || !right) {
    return `${path}: ${JSON.stringify(left)} and ${JSON.stringify(right)}`;
  }
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const valueOf = (/** @type {object} */ value) => /** @type {Record<string, unknown>} */ (value)[key];
    const place = difference(valueOf(left), valueOf(right), `${path}.${key}`);
    if (place !== undefined) return place;
  }
  return path;
}

/**
 * Measures contenders in rounds, one after another, so a slow machine affects all. Every other round reverses the order.
 * @param {Contender[]} contenders
 * @param {(contender: Contender, seconds: number) => Promise<Sample>} sample
 * @param {{ seconds: number, rounds: number, databasePid: number, onSample: (text: string) => void }} options
 * @returns {Promise<Figures[]>}
 */
export async function measureRounds(contenders, sample, { seconds, rounds, databasePid, onSample }) {
  const samplesByContender = contenders.map(
    () => /** @type {(Sample & { cpu: number, databaseCpu: number })[]} */ ([]),
  );
  for (const contender of contenders) await sample(contender, Math.min(seconds, 2));
  for (let round = 0; round < rounds; round += 1) {
    const order = [...contenders.entries()];
    if (round % 2 === 1) order.reverse();
    for (const [index, contender] of order) {
      const before = await Promise.all([cpuOf(contender.pid), cpuOf(databasePid, { family: true })]);
      const measurement = await sample(contender, seconds);
      const after = await Promise.all([cpuOf(contender.pid), cpuOf(databasePid, { family: true })]);
      samplesByContender[index]?.push({ ...measurement, cpu: after[0] - before[0], databaseCpu: after[1] - before[1] });
      onSample(`round ${round + 1}/${rounds}, ${contender.name}: ${measurement.rate.toFixed(0)}/s`);
    }
  }
  return Promise.all(
    contenders.map(async (contender, index) => {
      const samples = samplesByContender[index] ?? [];
      const times = samples.flatMap((each) => each.times).sort((a, b) => a - b);
      const perRequest = (/** @type {'cpu' | 'databaseCpu'} */ key) =>
        samples.reduce((sum, each) => sum + each[key], 0) / times.length;
      const rates = samples.map(({ rate }) => rate);
      return {
        contender: contender.name,
        rates,
        rate: median(rates),
        p50: quantile(times, 0.5),
        p95: quantile(times, 0.95),
        p99: quantile(times, 0.99),
        cpu: perRequest('cpu'),
        databaseCpu: perRequest('databaseCpu'),
        memory: await memoryOf(contender.pid),
      };
    }),
  );
}

/** @param {number[]} sorted */
export const quantile = (sorted, /** @type {number} */ part) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;

/** @param {number[]} values */
export const median = (values) =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );

/** For workloads with few or noisy rounds. @param {Parameters<typeof measureRounds>[2]} rounds */
export const tripleRounds = (rounds) => ({ ...rounds, rounds: rounds.rounds * 3 });

/**
 * Ratio of two rates: the median over the rounds.
 * @param {Figures} one
 * @param {Figures} other
 */
export const ratioOf = (one, other) => median(one.rates.map((rate, round) => rate / (other.rates[round] ?? NaN)));
