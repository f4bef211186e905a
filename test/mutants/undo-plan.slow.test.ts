import { testMutants } from './mutants.ts';

testMutants({
  files: ['src/history/undo-plan.ts', 'src/history/place-planner.ts'],
  tests: ['undo-plan', 'plan-tag-names', 'place-planner', 'plan-levels', 'plan-sections'].map(
    (name) => `test/history/${name}.test.ts`,
  ),
});
