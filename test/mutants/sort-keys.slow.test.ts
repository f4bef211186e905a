import { testMutants } from './mutants.ts';

testMutants({
  files: ['src/platform/sort-key.ts'],
  tests: ['test/platform/sort-key.test.ts'],
});
