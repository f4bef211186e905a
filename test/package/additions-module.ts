import type { Addition } from './additions.ts';

/** The instructions of CONTRIBUTING.md for a new module, with the example `greetings`. */
export const emptyModule: readonly Addition[] = [
  {
    file: 'src/greetings/schema.ts',
    text: `import { builder } from '../graphql/builder.ts';

builder.queryField('greeting', (t) =>
  t.string({ description: 'A greeting.', resolve: (_root, _args, { services }) => services.greetings.text }),
);
`,
  },
  { file: 'src/schema.ts', before: "import './history/schema.ts';\n", text: "import './greetings/schema.ts';\n" },
  {
    file: 'src/greetings/module.ts',
    text: `import { defineModule } from '../platform/module.ts';
import type { Services } from '../platform/services.ts';

declare module '../platform/services.ts' {
  interface Services {
    greetings: { text: string };
  }
}

export const greetings = defineModule({
  name: 'greetings',
  services: ({ history: { retentionDays } }: Pick<Services, 'history'>) => ({
    greetings: { text: \`Welcome to your last \${retentionDays} days\` },
  }),
});
`,
  },
  {
    file: 'src/modules.ts',
    before: "import { history } from './history/module.ts';\n",
    text: "import { greetings } from './greetings/module.ts';\n",
  },
  { file: 'src/modules.ts', before: '  .with(notifications)\n', text: '  .with(greetings)\n' },
];
