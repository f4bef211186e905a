/** @type {import('jest').Config} */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        module: { type: 'es6' },
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
      },
    ],
  },
  // The package's own sources, of which its build is made.
  moduleNameMapper: {
    '^taskgate-client$': '<rootDir>/client/src/index.ts',
    '^taskgate-client/node$': '<rootDir>/client/src/node.ts',
  },
  // The build holds a package.json-less copy of the sources; nothing in it is a test or a module of one.
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/client/dist/'],
  globalSetup: '<rootDir>/test/kit/global-setup.js',
  globalTeardown: '<rootDir>/test/kit/global-teardown.js',
  setupFilesAfterEnv: ['<rootDir>/test/kit/quiet.ts'],
  testSequencer: '<rootDir>/test/kit/longest-first.js',
  // One more than two processors: a test waits a quarter of its time, for PostgreSQL and for processes of its own.
  maxWorkers: 3,
  // Modules of a test file stay in its worker's memory.
  workerIdleMemoryLimit: '1GB',
  // Nothing is asserted of time: only what hangs takes as long, on however slow a machine.
  testTimeout: 120_000,
};
