import { testMutants } from './mutants.ts';

testMutants({
  files: [
    'src/platform/policy.ts',
    'src/platform/token-rights.ts',
    'src/history/undo-policy.ts',
    'src/projects/policy.ts',
    'src/tags/policy.ts',
    'src/workspaces/policy.ts',
  ],
  tests: ['test/platform/policy.test.ts', 'test/platform/request-policy.test.ts', 'test/history/undo-policy.test.ts'],
});
