import { testMutants } from './mutants.ts';

testMutants({
  files: ['src/tasks/placement.ts'],
  tests: ['test/tasks/placement.test.ts'],
});
