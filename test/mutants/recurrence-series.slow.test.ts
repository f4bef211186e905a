import { testMutants } from './mutants.ts';

testMutants({
  files: ['src/recurrence/series.ts'],
  tests: ['test/recurrence/series.test.ts', 'test/recurrence/setting.test.ts'],
});
