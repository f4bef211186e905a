import { expect, test } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
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

const folders = ['src', 'rest', 'mcp', 'client/src', 'console', 'prisma', 'docs'];

test('every decision that code or a page names exists', async () => {
  const numbers = new Set((await readdir(folder)).map((file) => file.slice(0, 4)));
  const files = (await Promise.all(folders.map(textsIn))).flat();
  const references = await Promise.all(
    files.map(async (file) =>
      [...(await fileOf(file)).matchAll(/(?:decisions\/| and |[[(])(0\d{3})(?=[-).,;:\]\s])/g)].map(
        ([, number = '']) => [file, number],
      ),
    ),
  );
  expect(references.flat().length).toBeGreaterThan(20);
  expect(references.flat().filter(([, number = '']) => !numbers.has(number))).toEqual([]);
});

async function textsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  const isText = (file: string) => /\.(md|tsx?|sql)$/.test(file) && !/node_modules|generated/.test(file);
  return entries.filter(isText).map((file) => path.join(folder, file));
}
