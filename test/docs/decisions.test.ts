import { expect, test } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { fileOf, rowsOf } from './page.ts';

const folder = 'docs/decisions';
const files = (await readdir(folder)).filter((file) => file !== 'README.md').sort();
const rows = rowsOf(await fileOf(`${folder}/README.md`));

test('every decision stands in the index under its title, with a date and a status', async () => {
  const titles = await Promise.all(
    files.map(async (file) => {
      const [heading = ''] = (await fileOf(`${folder}/${file}`)).split('\n');
      const number = file.slice(0, 4);
      return `[${number}](${file}): ${heading.replace(`# ${number}: `, '')}`;
    }),
  );
  expect(rows.map(([decision]) => decision)).toEqual(titles);
  for (const [decision, date, status] of rows) {
    expect([decision, date]).toEqual([decision, expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/)]);
    expect([decision, status]).toEqual([
      decision,
      expect.stringMatching(/^(accepted|superseded by \[\d{4}\]\(.+\.md\))$/),
    ]);
  }
});
