/** Long and slow files run only if they are named. See CONTRIBUTING.md. */
const isNamed = process.argv.slice(2).some((argument) => !argument.startsWith('-'));
const others = isNamed ? [] : [String.raw`\.(long|slow)\.test\.ts$`];

/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/{test,packages/*/test}/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...others],
  // Node itself loads the modules.
  transform: {},
  runtime: '<rootDir>/test/kit/native/runtime.cjs',
  testEnvironment: '<rootDir>/test/kit/native/environment.cjs',
  testSequencer: '<rootDir>/test/kit/native/sequencer.cjs',
  // The build has a copy of the sources, which contains no tests.
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/(client|packages/[a-z-]+)/dist/'],
  globalSetup: '<rootDir>/test/kit/global-setup.js',
  globalTeardown: '<rootDir>/test/kit/global-teardown.js',
  setupFilesAfterEnv: ['<rootDir>/test/kit/quiet.ts'],
  // One more than two processors: a test spends a quarter of its time waiting.
  maxWorkers: 3,
  // Modules stay in the memory of a worker, with anything that tests leave in them.
  workerIdleMemoryLimit: '1GB',
  // Milliseconds. A busy machine needs seconds to free a worker's memory.
  workerGracefulExitTimeout: 30_000,
  // Only a hanging test takes as long, even on a slow machine. Slow files have another: see test/kit/quiet.ts.
  testTimeout: 60_000,
};
