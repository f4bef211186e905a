import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { importCircles } from '../../scripts/import-circles.ts';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function circlesOf(files: Record<string, string>): Promise<string[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-circles-'));
  folders.push(folder);
  for (const each of ['src', 'rest', 'mcp', 'packages', 'client/src', 'console/src']) {
    await mkdir(path.join(folder, each), { recursive: true });
  }
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  return importCircles(folder);
}

describe('a circle of files', () => {
  test.each([
    ['values', `import { b } from './b.ts'; export const a = b;`],
    ['types', `import type { B } from './b.ts'; export type A = B;`],
    ['names that are exported again', `export * from './b.ts';`],
    ['a type in an expression', `export type A = import('./b.ts').B;`],
    ['a file that is loaded on demand', `export const load = () => import('./b.ts');`],
    ['an extended module', `export {}; declare module './b.ts' { interface B { a: string } }`],
  ])('by an import of %s', async (_name, text) => {
    const circle = { 'src/tasks/a.ts': text, 'src/tasks/b.ts': `export type { A } from './a.ts';` };
    expect(await circlesOf(circle)).toEqual([
      'A circle of files:\n  src/tasks/a.ts imports src/tasks/b.ts\n  src/tasks/b.ts imports src/tasks/a.ts',
    ]);
  });

  test('through a third file', async () => {
    const circle = {
      'console/src/ui/a.tsx': `import './b.ts';`,
      'console/src/ui/b.ts': `import './c.ts';`,
      'console/src/ui/c.ts': `import './a.tsx';`,
    };
    expect(await circlesOf(circle)).toHaveLength(1);
  });
});

describe('a circle of modules', () => {
  test('through a package', async () => {
    const circle = {
      'packages/work/index.ts': `export { a } from './a.ts';`,
      'packages/work/a.ts': `import { log } from '@taskgate/base'; export const a = log;`,
      'packages/base/index.ts': `export { log } from './log.ts';`,
      'packages/base/log.ts': `import type { A } from '@taskgate/work'; export const log = 1;`,
      'packages/base/test/log.test.ts': `import '@taskgate/work';`,
    };
    expect(await circlesOf(circle)).toMatchObject([
      expect.stringContaining('A circle of files:'),
      expect.stringContaining('A circle of modules:'),
    ]);
  });

  test('whose files form none', async () => {
    const circle = {
      'src/accounts/rules.ts': `import '../changes/log/rows.ts';`,
      'src/changes/log/rows.ts': '',
      'src/changes/live/hub.ts': `import type { Policy } from '../../accounts/totp/policy.ts';`,
      'src/accounts/totp/policy.ts': '',
    };
    expect(await circlesOf(circle)).toEqual([
      'A circle of modules:\n' +
        '  src/accounts/rules.ts imports src/changes/log/rows.ts\n' +
        '  src/changes/live/hub.ts imports src/accounts/totp/policy.ts',
    ]);
  });

  test('with a file beside the folders', async () => {
    const circle = {
      'client/src/index.ts': `import './replica/outbox.ts';`,
      'client/src/replica/outbox.ts': '',
      'client/src/replica/hints.ts': `import '../index.ts';`,
    };
    expect(await circlesOf(circle)).toEqual([expect.stringMatching(/^A circle of modules:/)]);
  });
});

test('accepts folders that import in one direction, and subfolders of one module that import each other', async () => {
  const files = {
    'src/app.ts': `import '../rest/router.ts'; import './tasks/rules.ts';`,
    'src/tasks/rules.ts': `import './list/page.ts';`,
    'src/tasks/list/page.ts': `import '../data.ts'; import 'express';`,
    'src/tasks/data.ts': '',
    'rest/router.ts': `import './v1/todos.ts'; import '../src/tasks/data.ts';`,
    'rest/v1/todos.ts': `import '../row.ts';`,
    'rest/row.ts': '',
  };
  expect(await circlesOf(files)).toEqual([]);
});
