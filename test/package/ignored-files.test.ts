import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileOf } from '../docs/page.ts';

test("git ignores what the README's tour and the example write", async () => {
  const [cookies = ''] = /(?<=-c )\S+/.exec(await fileOf('README.md')) ?? [];
  const [, list = ''] = /live-list\.js \S+ (\S+)$/m.exec(await fileOf('examples/live-list/README.md')) ?? [];
  const writtenFiles = [cookies, list, '.data/outbox/1.eml'];
  expect(writtenFiles).not.toContain('');
  const { stdout } = await promisify(execFile)('git', ['check-ignore', '--no-index', ...writtenFiles]);
  expect(stdout.trimEnd().split('\n')).toEqual(writtenFiles);
});

test('the build of the image gets the sources and all workspaces', async () => {
  const lines = (await fileOf('.containerignore')).split('\n');
  const { workspaces } = JSON.parse(await fileOf('package.json')) as { workspaces: string[] };
  const { include } = JSON.parse(await fileOf('tsconfig.build.json')) as { include: string[] };
  const needed = [...include, ...workspaces].map((folder) => `!${folder.replace('/*', '')}`);
  expect(needed).toHaveLength(6);
  expect(needed.filter((line) => !lines.includes(line))).toEqual([]);
});
