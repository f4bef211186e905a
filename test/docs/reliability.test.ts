import { describe, expect, test } from '@jest/globals';
import { access } from 'node:fs/promises';
import { fileOf, rowsOf } from './page.ts';

const page = 'docs/reliability.md';
const text = await fileOf(page);
const targets = rowsOf(text.split('<!-- bench: begin -->')[0] ?? '').map(
  ([promise = '', figure = '', command = '']) => ({
    promise,
    figure,
    commands: [...command.matchAll(/`([^`]+)`/g)].map(([, each = '']) => each),
  }),
);
const scriptsOf = async (file: string) =>
  (JSON.parse(await fileOf(file)) as { scripts: Record<string, string> }).scripts;

describe(page, () => {
  test.each(targets)('$promise', async ({ promise, commands }) => {
    expect(promise).not.toBe('');
    expect(commands).not.toEqual([]);
    const [own, bench] = [await scriptsOf('package.json'), await scriptsOf('bench/package.json')];
    for (const command of commands) {
      const [, inBench, script = ''] = /^npm (--prefix bench )?(?:run )?([\w:]+)/.exec(command) ?? [];
      expect([command, Object.keys(inBench ? bench : own)]).toEqual([command, expect.arrayContaining([script])]);
      const files = script === 'test' ? (command.split(' -- ')[1] ?? '').split(' ') : [];
      if (script === 'test') expect(files).not.toEqual(['']);
      for (const file of files) await access(file);
    }
  });

  test('has the targets of the benchmark from its last run', async () => {
    const measured = rowsOf((await fileOf('bench/RESULTS.md')).split('\n## ')[0] ?? '');
    expect(measured.length).toBeGreaterThan(10);
    expect(rowsOf(text.split('<!-- bench: begin -->')[1] ?? '')).toEqual(measured);
  });
});
