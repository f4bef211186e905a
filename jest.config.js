/** Tests that start processes and browsers, kill servers, or make thousands of things: run where they are named. */
const isNamed = process.argv.slice(2).some((argument) => !argument.startsWith('-'));
const slow = isNamed ? [] : [String.raw`\.slow\.test\.ts$`];

/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...slow],
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
  // Milliseconds. A worker closes everything at once, but a busy machine needs seconds to free its memory.
  workerGracefulExitTimeout: 30_000,
  // Nothing is asserted of time: only what hangs takes as long, on however slow a machine.
  testTimeout: 300_000,
};
