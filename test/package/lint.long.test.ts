import { describe, expect, test } from '@jest/globals';
import { ESLint } from 'eslint';

// The rules on imports and statements need no types.
const eslint = new ESLint({
  ruleFilter: ({ ruleId }) => /no-restricted/.test(ruleId),
  overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
});

async function problemsOf(filePath: string, text: string): Promise<string[]> {
  const [result] = await eslint.lintText(text, { filePath });
  return (result?.messages ?? []).map(({ message }) => message);
}

const database = `'../platform/database.ts'`;
const statements = `'@taskgate/postgres'`;

describe('only data runs SQL', () => {
  test.each([
    ['a model of the client', `declare const db: import(${database}).Database; void db.project.findMany();`],
    [
      'a model of the connections',
      `export const f = (own: import(${database}).Connections) => own.db.project.findMany();`,
    ],
    ['a model of a transaction', `export const f = (tx: import(${database}).Database) => tx.task.findMany();`],
    ['any model', `export const f = (tx: import(${database}).Database) => tx.webhook.findMany();`],
    ['a raw query', `declare const db: import(${database}).Database; void db.$queryRaw\`SELECT 1\`;`],
    [
      'a raw statement',
      `export const f = (database: import(${database}).Database) => database.$executeRaw\`SELECT 1\`;`,
    ],
    ['a function that runs statements', `import { runSql } from ${statements}; void runSql;`],
    ['a read that can be cancelled', `import { readOnAny } from ${statements}; void readOnAny;`],
    ['a pool', `declare const connections: import(${database}).Connections; void connections.pool;`],
    ['another pool', `export const f = ({ cursorPool }: import(${database}).Connections) => cursorPool;`],
    ['a statement', `import { Prisma } from '../generated/prisma/client.ts'; void Prisma.sql\`SELECT 1\`;`],
    ['a connection of its own', `import pg from 'pg'; void new pg.Client();`],
  ])('%s is refused elsewhere', async (_name, text) => {
    expect(await problemsOf('src/tasks/rules.ts', text)).toContain("Only a module's data.ts runs SQL.");
    expect(await problemsOf('src/tasks/data.ts', text)).not.toContain("Only a module's data.ts runs SQL.");
  });
});

describe('rows of spaces are written under locks only', () => {
  const declared = `declare const db: import(${database}).Database; declare const pool: import('pg').Pool;`;

  test.each([
    'void db.comment.deleteMany();',
    'void db.claim.update({ where: {}, data: {} });',
    'void db.$executeRaw`UPDATE invitations SET role = 1`;',
    "void pool.query('DELETE FROM comments');",
    'void runSql(viewer.connections, sql`WITH a AS (SELECT 1) DELETE FROM task_tags`);',
  ])('%s', async (text) => {
    expect(await problemsOf('src/tasks/data.ts', `${declared} ${text}`)).toContain(
      'Write rows of spaces only with write() or writeStatement() of src/platform/write.ts, which check access under the lock.',
    );
  });
});

describe('access by space is said in one place', () => {
  test.each([
    ['in SQL', 'declare const viewer: { spaceIds: string[] }; void String.raw`${viewer.spaceIds}`;'],
    ['in a condition', 'declare const viewer: { spaceIds: string[] }; void { spaceId: { in: viewer.spaceIds } };'],
  ])('%s', async (_name, text) => {
    expect(await problemsOf('src/tasks/data.ts', text)).toEqual([
      'Only src/platform/policy.ts states who may see a row: use its conditions.',
    ]);
    expect(await problemsOf('src/platform/policy.ts', text)).toEqual([]);
  });
});

describe('arrows point down only', () => {
  test.each([
    ['src/platform/ids.ts', '../platform/database.ts'],
    ['src/platform/write.ts', '../graphql/builder.ts'],
    ['packages/nested-read/read.ts', '../../src/graphql/builder.ts'],
    ['packages/execution/executor.ts', '../../src/graphql/builder.ts'],
    ['packages/work/turns.ts', '@taskgate/postgres'],
    ['packages/postgres/statements.ts', '../work/turns.ts'],
    ['src/graphql/builder.ts', '../http/origins.ts'],
    ['src/http/origins.ts', '../accounts/rules.ts'],
    ['src/tasks/rules.ts', '../projects/data.ts'],
    ['src/tasks/rules.ts', '../http/origins.ts'],
    ['src/http/origins.ts', '../graphql-transport/websocket.ts'],
    ['packages/postgres/connection.ts', '@taskgate/postgres-server'],
    ['src/notifications/mails/layout.ts', '../mailer.ts'],
    ['src/notifications/mails/layout.ts', '../../platform/errors.ts'],
    ['rest/router.ts', '../src/tasks/rules.ts'],
    ['rest/router.ts', '../src/http/exchange.ts'],
    ['rest/router.ts', '../src/platform/context.ts'],
    ['rest/v1/profile.ts', '../../src/door/operations.ts'],
    ['rest/router.ts', '@taskgate/postgres'],
    ['rest/router.ts', '../packages/base/errors.ts'],
    ['src/tags/rules.ts', '../../packages/base/errors.ts'],
    ['src/changes/log/page.ts', '../live/hub.ts'],
    ['src/changes/log/page.ts', '../../tasks/data.ts'],
    ['src/changes/live/hub.ts', '../changes.ts'],
    ['src/changes/live/hub.ts', '../../accounts/data.ts'],
  ])('%s imports no %s', async (file, target) => {
    expect(await problemsOf(file, `import '${target}';`)).toEqual([expect.stringContaining(`'${target}' import`)]);
  });
});

test('rest/ imports the door and inputs', async () => {
  for (const target of ['door/index', 'door/http', 'tasks/fields', 'accounts/recovery/input', 'platform/errors'])
    expect(await problemsOf('rest/router.ts', `import '../src/${target}.ts';`)).toEqual([]);
});

describe('modules have no state', () => {
  const message =
    'A module has no state. Keep it in an object that the services of a module.ts create, and pass it on.';

  test.each([
    ['a variable', 'let count = 0; count += 1;'],
    ['an exported variable', 'export let count = 0;'],
    ['a queue', `import { FairQueue } from '@taskgate/work'; export const queue = new FairQueue({} as never);`],
  ])('%s', async (_name, text) => {
    for (const file of ['src/tasks/rules.ts', 'src/platform/write.ts', 'rest/router.ts']) {
      expect(await problemsOf(file, text)).toContain(message);
    }
  });

  test('but functions do', async () => {
    expect(
      await problemsOf('src/tasks/rules.ts', 'export function f() { let count = 0; return (count += 1); }'),
    ).toEqual([]);
  });
});

describe('only guardedFetch() sends requests:', () => {
  test.each([
    ['fetch()', `void fetch('https://example.com');`],
    ['fetch() of the global object', `void globalThis.fetch('https://example.com');`],
    ['a global socket', `void new WebSocket('wss://example.com');`],
    ['a function of node:https', `import { request } from 'node:https'; void request;`],
    ['a function of http', `import { createServer, get } from 'http'; void [createServer, get];`],
    ['the module node:http', `import http from 'node:http'; void http;`],
    ['all names of node:https', `import * as https from 'node:https'; void https;`],
    ['a loaded module', `void import('node:https');`],
    ['HTTP/2', `import { connect } from 'node:http2'; void connect;`],
    ['undici', `import { fetch } from 'undici'; void fetch;`],
  ])('not %s', async (_name, text) => {
    for (const file of [
      'src/tags/rules.ts',
      'src/accounts/sign-in/passwords.ts',
      'rest/router.ts',
      'packages/work/load.ts',
    ])
      expect(await problemsOf(file, text)).toEqual([expect.stringContaining('Send requests with guardedFetch()')]);
  });
});
