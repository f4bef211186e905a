import { readdirSync, readFileSync } from 'node:fs';
import js from '@eslint/js';
import markdown from '@eslint/markdown';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { globalClients, loadedClients, otherClients } from './scripts/eslint-http.js';
import { databaseClock, describedDirectives, statementsNamedByText } from './scripts/eslint-rules.js';
import {
  accessElsewhere,
  batchedReads,
  ownTransactions,
  sqlElsewhere,
  sqlFiles,
  throwingReads,
  unboundedReads,
  unlockedWrites,
} from './scripts/eslint-sql.js';
import { plainEnglish } from './scripts/plain-english.js';

const rawExecution = {
  name: 'graphql',
  importNames: ['execute', 'executeSync', 'graphql', 'graphqlSync', 'subscribe'],
  message: 'Run operations with the Executor of @taskgate/execution, whose plugins queue, limit and measure them.',
};
const environment = { name: 'node:process', message: 'Only src/config/config.ts reads the environment.' };

const bodyParsers = [
  { name: 'express', importNames: ['default', 'json', 'raw', 'text', 'urlencoded'] },
  { name: 'multer', allowImportNames: ['MulterError'] },
].map((path) => ({
  ...path,
  message: 'Read bodies with the parsers of @taskgate/http, which bound the total memory.',
}));

const packagesByName = {
  regex: '(^|/)packages/',
  message: 'Import packages by their name: @taskgate/….',
};

/** ESLint uses only the last setting of a rule, so each entry lists all restrictions of its files. */
const imports = (files, { paths = [rawExecution, environment, ...bodyParsers], patterns = [] }) => ({
  files,
  rules: { '@typescript-eslint/no-restricted-imports': ['error', { paths, patterns: [packagesByName, ...patterns] }] },
});
/** They may also import the files of packages. */
const importsOfTests = {
  files: ['{test,packages/*/test}/**/*.ts'],
  rules: { '@typescript-eslint/no-restricted-imports': ['error', { paths: [rawExecution, environment] }] },
};

/** Allowed imports of each layer besides packages, from the bottom up. None may import domain modules. */
const layers = {
  platform: [],
  graphql: ['platform'],
  http: ['platform', 'graphql'],
  'graphql-transport': ['platform', 'graphql', 'http'],
};
const knowsOnly = (module, known, { files = [`src/${module}/**/*.ts`], paths, up = 1 } = {}) =>
  imports(files, {
    paths,
    patterns: [
      {
        regex: `^(\\.\\./){${up}}(?!(${['generated', ...known].join('|')})/)`,
        message: `${module}/ may import only its own files${known.map((each) => `, ${each}/`).join('')}.`,
      },
    ],
  });

const packageFolders = readdirSync(new URL('packages/', import.meta.url), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

/** They execute operations, and parse bodies. */
const pathsOf = { execution: [environment, ...bodyParsers], http: [rawExecution, environment] };

/** A package imports only the packages of its package.json. */
function packageImports(name) {
  const manifest = JSON.parse(readFileSync(new URL(`packages/${name}/package.json`, import.meta.url), 'utf8'));
  const known = Object.keys(manifest.dependencies).filter((each) => each.startsWith('@taskgate/'));
  return imports([`packages/${name}/*.ts`], {
    paths: pathsOf[name],
    patterns: [
      { regex: '^\\.\\.', message: `${name}/ may import only its own files and packages.` },
      {
        regex: `^@taskgate/(?!(${known.map((each) => each.replace('@taskgate/', '')).join('|') || '-'})$)`,
        message: `${name}/ may import only the packages of its package.json.`,
      },
    ],
  });
}

/** @param up from a module's file to the folder of all modules */
const otherModules = (up) => ({
  regex: `^(\\.\\./){${up}}(?!(platform|generated)/)(?!graphql/(builder|fields|node|page-type|shared-types)\\.ts$|http/plain-page\\.ts$)[a-z-]+/(?!([a-z-]+/)?(rules|policy|input|fields|schema)\\.ts$|mailer\\.ts$|mails/)`,
  message:
    "A module may import only its own files, the packages, the lower layers (platform, the schema builder, plain pages), and another module's rules, policy, input, fields, schema or mails.",
});
/** Mails depend only on their arguments, not on their sender. */
const ofMails = { regex: '^\\.\\./', message: 'mails/ may import only its own files.' };
/** The log does not depend on its readers. */
const aboveLog = {
  regex: '^\\.\\./(?!\\.\\./)',
  message: 'log/ may import only its own files and the lower layers.',
};
const aboveLive = {
  regex: '^\\.\\./(?!\\.\\./|log/)',
  message: 'live/ may import only its own files, log/ and the lower layers.',
};
const onlyByDoor = 'rest/ and mcp/ reach the domain only through src/door/ and inputs.';
/** Shapes and plain values, which need no caller. */
const inputs = [
  '[a-z]+/(input|fields)',
  'accounts/[a-z]+/input',
  'platform/(dates|entities|errors|ids|member-fields|shapes)',
];
/** Below `/proc`, a recursive mkdir never returns, and blocks a thread of Node's pool. */
const recursiveMkdir = {
  selector: "CallExpression[callee.name='mkdir'] Property[key.name='recursive']",
  message: 'Create folders with makeFolder() of @taskgate/base.',
};

/** With a shared key, everybody waits behind the backlog of one caller. */
const oneKeyForAll = {
  selector: "CallExpression[callee.property.name='run'][callee.object.name!='steps'] > Literal.arguments:first-child",
  message: 'Use the account as the key of a fair queue, or the client if there is no account.',
};

/** The apps of a process, such as those of a test, share modules. */
const moduleState = [
  'Program > VariableDeclaration[kind=/^(let|var)$/]',
  'Program > ExportNamedDeclaration > VariableDeclaration[kind=/^(let|var)$/]',
  'Program > VariableDeclaration > VariableDeclarator > NewExpression[callee.name=/^(DataLoader|FairQueue)$/]',
  'Program > ExportNamedDeclaration > VariableDeclaration > VariableDeclarator > NewExpression[callee.name=/^(DataLoader|FairQueue)$/]',
].map((selector) => ({
  selector,
  message: 'A module has no state. Keep it in an object that the services of a module.ts create, and pass it on.',
}));

const bcrypt = {
  regex: '^bcrypt$',
  message: "Hash passwords with withHasher() of src/accounts/sign-in/passwords.ts, in the client's turn.",
};
const withoutImports = (files, patterns) => ({ files, rules: { 'no-restricted-imports': ['error', { patterns }] } });

const everywhere = [...accessElsewhere, ...unlockedWrites, ...moduleState, recursiveMkdir, oneKeyForAll, loadedClients];

/** Of pages and service workers. */
const ofPages =
  'addEventListener caches clients document FormData indexedDB localStorage location navigator removeEventListener skipWaiting'.split(
    ' ',
  );

const ofExamples = 'AbortController AbortSignal clearInterval crypto Headers queueMicrotask setInterval'.split(' ');

const code = '**/*.{js,cjs,jsx,ts,tsx}';
/** Their comments, descriptions and texts are in plain English. */
const plainTexts = ['{src,rest,mcp,packages,client,console,test,docs}/**', '*.md'];

export default defineConfig(
  globalIgnores([
    '**/dist/',
    'src/generated/',
    'rest/schema-types.d.ts',
    'client/src/openapi.ts',
    'coverage/',
    'bench/',
    'test/generators/',
    'test/compatibility/',
    'test/postgres/',
    'test/deploy/',
    'examples/relay/__generated__/',
    '.data/',
  ]),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    plugins: {
      markdown,
      taskgate: {
        rules: {
          'described-directives': describedDirectives,
          'database-clock': databaseClock,
          'plain-english': plainEnglish,
          'statements-named-by-text': statementsNamedByText,
        },
      },
    },
  },
  { files: plainTexts, rules: { 'taskgate/plain-english': 'error' } },
  { files: ['**/*.md'], language: 'markdown/gfm' },
  { files: [code], extends: [js.configs.recommended, tseslint.configs.strictTypeChecked] },
  {
    files: [code],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'taskgate/described-directives': 'error',
      'taskgate/statements-named-by-text': 'error',
      eqeqeq: ['error', 'smart'],
      'no-eval': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/config/config.ts reads the environment.' },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      // Errors of callbacks are passed on unchanged.
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      // The rejections of Node's own functions have known types.
      '@typescript-eslint/use-unknown-in-catch-callback-variable': 'off',
      // A fifth of the time of all rules. Most classes have private members, and the project has no enums.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  imports(['src/**/*.ts', 'scripts/**/*.ts'], { paths: [rawExecution, environment] }),
  importsOfTests,
  ...packageFolders.map(packageImports),
  imports(['src/*/*.ts'], { patterns: [otherModules(1)] }),
  imports(['src/accounts/*/*.ts'], { patterns: [otherModules(2)] }),
  // These files may import all modules, like src/app.ts.
  imports(['src/{config,door,pages,process}/*.ts'], {}),
  imports(['src/notifications/mails/*.ts'], { patterns: [ofMails] }),
  imports(['src/changes/log/*.ts'], { patterns: [otherModules(2), aboveLog] }),
  imports(['src/changes/live/*.ts'], { patterns: [otherModules(2), aboveLive] }),
  ...Object.entries(layers).map(([module, known]) => knowsOnly(module, known)),
  knowsOnly('graphql', layers.graphql, { files: ['src/graphql/plugins/*.ts'], up: 2 }),
  {
    files: ['{src,rest,mcp}/**/*.ts', 'packages/*/*.ts'],
    ignores: sqlFiles,
    rules: {
      'no-restricted-syntax': ['error', ...sqlElsewhere, ...everywhere],
    },
  },
  {
    files: sqlFiles,
    ignores: ['src/platform/{policy,transaction,write}.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...everywhere, unboundedReads, throwingReads, batchedReads, ownTransactions],
    },
  },
  {
    files: ['src/platform/{policy,transaction,write}.ts'],
    rules: { 'no-restricted-syntax': ['error', ...moduleState] },
  },
  imports(['{rest,mcp}/**/*.ts'], {
    paths: [
      rawExecution,
      environment,
      ...bodyParsers,
      ...['pg', '@prisma/client'].map((name) => ({ name, message: onlyByDoor })),
    ],
    patterns: [
      { regex: '^@taskgate/(?!(base|work|http)$)', message: onlyByDoor },
      { regex: `(^|/)src/(?!door/(index|http)\\.ts$|(${inputs.join('|')})\\.ts$)`, message: onlyByDoor },
    ],
  }),
  withoutImports(['{src,rest,mcp}/**/*.ts', 'packages/*/*.ts'], [bcrypt, ...otherClients]),
  withoutImports(['src/accounts/sign-in/passwords.ts'], otherClients),
  withoutImports(['packages/http/guarded-fetch.ts'], [bcrypt]),
  {
    files: ['{src,rest,mcp}/**/*.ts', 'packages/*/*.ts'],
    rules: { 'taskgate/database-clock': 'error', 'no-restricted-globals': ['error', globalClients] },
  },
  { files: ['src/config/config.ts'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['{test,packages/*/test}/**/*.ts', '*.ts'],
    rules: { 'no-restricted-properties': 'off', '@typescript-eslint/no-unnecessary-type-parameters': 'off' },
  },
  {
    files: ['{test,packages/*/test}/**/*.ts'],
    rules: {
      // Tests count code points independently of codePoints().
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      'no-restricted-imports': [
        'error',
        {
          name: 'node:timers/promises',
          importNames: ['setTimeout'],
          message: 'Tests wait for signals and never sleep.',
        },
      ],
    },
  },
  {
    files: ['console/src/**/*.{ts,tsx}'],
    rules: {
      'taskgate/statements-named-by-text': 'off',
      // Handlers of elements may return promises: useAction() reports their errors.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      'max-lines': ['error', { max: 150, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['console/src/texts.ts'], rules: { 'max-lines': 'off' } },
  // Separate programs, not parts of the service.
  {
    files: ['examples/**/*.{js,jsx}'],
    rules: { 'no-restricted-properties': 'off' },
    languageOptions: {
      globals: Object.fromEntries(ofExamples.map((name) => [name, 'readonly'])),
    },
  },
  {
    files: ['examples/react/**/*.{js,jsx}'],
    languageOptions: {
      globals: Object.fromEntries(ofPages.map((name) => [name, 'readonly'])),
      parserOptions: { ecmaFeatures: { jsx: true } },
    },
  },
  // Its documents are compiled, not run.
  { files: ['examples/relay/documents.js'], rules: { '@typescript-eslint/no-unused-expressions': 'off' } },
  {
    files: ['**/*.{js,cjs,jsx}'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: {
        globalThis: 'readonly',
        process: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        URL: 'readonly',
        TextDecoder: 'readonly',
      },
    },
  },
  {
    files: ['**/*.cjs'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
    languageOptions: { globals: { module: 'writable', require: 'readonly' } },
  },
);
