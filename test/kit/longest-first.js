import TestSequencer from '@jest/test-sequencer';

/** Tests that start services as processes of their own, and wait for them. */
const long = /\/test\/(faults|start|soak|fuzz)\//;

/** Jest begins with the largest files where it has run none yet, as in CI: these are small, and would be waited for alone. */
export default class LongestFirst extends TestSequencer {
  /** @type {TestSequencer['sort']} */
  sort(tests) {
    const sorted = super.sort(tests);
    const isShort = (/** @type {{ path: string }} */ { path }) => Number(!long.test(path));
    return Array.isArray(sorted) ? [...sorted].sort((left, right) => isShort(left) - isShort(right)) : sorted;
  }
}
