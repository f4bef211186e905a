import { testMutants } from './mutants.ts';

testMutants({
  files: ['client/src/replica/sort-key.ts'],
  tests: ['test/client/sort-key.test.ts'],
});
