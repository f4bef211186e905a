import { testMutants } from './mutants.ts';

testMutants({
  files: ['src/notifications/times.ts'],
  tests: ['test/notifications/times.long.test.ts', 'test/notifications/digest-times.slow.test.ts'],
  isStateful: true,
});
