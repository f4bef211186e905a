import manifest from './package.json' with { type: 'json' };

/** Tests that start services as processes of their own, kill them, or make ten thousands of things. */
const slow = manifest.scripts['test:slow'].split(' ').filter(isPath);
// What is named is run, whatever it is.
const left = process.argv.slice(2).some(isPath) ? [] : slow;

function isPath(/** @type {string} */ argument) {
  return argument.startsWith('test/');
}

/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...left],
  // Node itself loads what is tested.
  transform: {},
  runtime: '<rootDir>/test/kit/native/runtime.cjs',
  testEnvironment: '<rootDir>/test/kit/native/environment.cjs',
  // The build holds a package.json-less copy of the sources; nothing in it is a test or a module of one.
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/client/dist/'],
  globalSetup: '<rootDir>/test/kit/global-setup.js',
  globalTeardown: '<rootDir>/test/kit/global-teardown.js',
  setupFilesAfterEnv: ['<rootDir>/test/kit/quiet.ts'],
  // One more than two processors: a test waits a quarter of its time, for PostgreSQL and for processes of its own.
  maxWorkers: 3,
  // Modules that a test file imports first stay in its worker's memory, and what it leaves there.
  workerIdleMemoryLimit: '1GB',
  // Nothing is asserted of time: only what hangs takes as long, on however slow a machine.
  testTimeout: 120_000,
};
