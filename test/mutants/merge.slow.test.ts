import { testMutants } from './mutants.ts';

testMutants({
  files: ['src/changes/log/merge.ts'],
  tests: ['test/changes/merge.test.ts'],
});
