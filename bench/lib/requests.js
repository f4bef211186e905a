import { measurePrepared } from './load.js';
import { measureRounds, ratioOf } from './measure.js';

/** @typedef {import('./contenders.js').Contender} Contender */
/** @typedef {import('./load.js').Call} Call */
/** @typedef {import('./measure.js').Figures} Figures */

/**
 * Measures requests of one contender against each other. `prepare` runs before each call, and is not timed.
 * @param {Contender} taskgate
 * @param {Parameters<typeof measureRounds>[2]} rounds
 * @param {Record<string, { call: (count: number) => Call, prepare?: (count: number) => Promise<unknown> }>} requests
 * @returns {Promise<Record<string, Figures>>}
 */
export async function measureRequests(taskgate, rounds, requests) {
  const names = Object.keys(requests);
  let count = 0;
  const figures = await measureRounds(
    names.map((name) => ({ ...taskgate, name })),
    ({ name, url }, seconds) => {
      const { call, prepare = () => Promise.resolve() } = /** @type {any} */ (requests[name]);
      return measurePrepared(
        url,
        () => call(count),
        () => prepare((count += 1)),
        { seconds },
      );
    },
    rounds,
  );
  return Object.fromEntries(names.map((name, index) => [name, /** @type {any} */ (figures[index])]));
}

/** A target: the ratio of a request to another one. */
export const targetOf = (
  /** @type {Record<string, Figures>} */ figures,
  /** @type {string} */ name,
  /** @type {string} */ base,
  /** @type {number} */ atMost,
) => ({
  text: `${name} ≤ ${atMost} × ${base}`,
  ratio: ratioOf(/** @type {any} */ (figures[base]), /** @type {any} */ (figures[name])),
  atMost,
});
