import { expect, test } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { fileOf } from './page.ts';

const folder = 'docs/decisions';

test('the index lists every decision by its title', async () => {
  const files = (await readdir(folder)).filter((file) => file !== 'README.md').sort();
  const entries = await Promise.all(
    files.map(async (file) => {
      const number = file.slice(0, 4);
      const [heading = ''] = (await fileOf(`${folder}/${file}`)).split('\n');
      return `- [${number}](${file}): ${heading.replace(`# ${number}: `, '')}`;
    }),
  );
  const index = await fileOf(`${folder}/README.md`);
  expect(index.split('\n').filter((line) => line.startsWith('- '))).toEqual(entries);
});
