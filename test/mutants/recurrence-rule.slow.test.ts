import { testMutants } from './mutants.ts';

testMutants({
  files: ['src/recurrence/rule.ts'],
  tests: ['test/recurrence/rule.test.ts'],
});
