// `@jest/globals`, for modules that outlive the test file that imported them first: each name is what it is for the present one.
const given = Symbol.for('taskgate.jest');
const present = (/** @type {string} */ name) =>
  new Proxy(() => undefined, {
    apply: (_target, self, values) => globalThis[given][name].apply(self, values),
    get: (_target, key) => globalThis[given][name][key],
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
