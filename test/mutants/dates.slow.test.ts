import { testMutants } from './mutants.ts';

testMutants({
  files: ['src/platform/dates.ts'],
  tests: ['test/platform/dates.test.ts'],
});
