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
