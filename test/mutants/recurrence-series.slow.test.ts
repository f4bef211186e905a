import { testMutants } from './mutants.ts';

testMutants({
  files: ['packages/recurrence/series.ts'],
  tests: ['packages/recurrence/test/series.test.ts', 'packages/recurrence/test/setting.test.ts'],
});
