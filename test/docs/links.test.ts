import { readdir } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { anchorsOf, fileOf, referencesOf, requireFile } from './page.ts';

const docsPages = (await readdir('docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'client/README.md', ...docsPages];

test.each(pages)('the links of %s lead somewhere', async (page) => {
  const references = referencesOf(await fileOf(page), page);
  for (const { file, anchor } of references) {
    await requireFile(file);
    if (anchor) expect([file, anchorsOf(await fileOf(file)).includes(anchor), anchor]).toEqual([file, true, anchor]);
  }
});
