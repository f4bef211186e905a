// `@jest/globals` for modules that outlive the test file. Each name leads to the current file's function.
const jestKey = Symbol.for('taskgate.jest');
const present = (/** @type {string} */ name) =>
  new Proxy(() => undefined, {
    apply: (_target, self, values) => globalThis[jestKey][name].apply(self, values),
    get: (_target, key) => globalThis[jestKey][name][key],
  });

export const [afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test] = [
  'afterAll',
  'afterEach',
  'beforeAll',
  'beforeEach',
  'describe',
  'expect',
  'jest',
  'test',
].map(present);
