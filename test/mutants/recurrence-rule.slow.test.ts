import { testMutants } from './mutants.ts';

testMutants({
  files: ['packages/recurrence/rule.ts'],
  tests: ['packages/recurrence/test/rule.test.ts'],
});
