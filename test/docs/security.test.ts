import { describe, expect, test } from '@jest/globals';
import { anchorsOf, fileOf, hasTest, referencesOf, rowsOf, sectionOf } from './page.ts';

const page = 'docs/security.md';

interface Requirement {
  ids: string[];
  asks: string;
  status: string;
  how: string;
  shownBy: string;
}

const text = await fileOf(page);
const requirements = rowsOf(sectionOf(text, '## The requirements')).map(
  ([ids = '', asks = '', status = '', how = '', shownBy = '']): Requirement => ({
    ids: ids.split(', '),
    asks,
    status,
    how,
    shownBy,
  }),
);

async function required(): Promise<string[]> {
  const lines = (await fileOf('test/docs/asvs-5.0.0.txt')).trim().split('\n').slice(1);
  return lines.flatMap((line) => {
    const [section = '', numbers = ''] = line.split(': ');
    return numbers.split(' ').map((number) => `${section}.${number}`);
  });
}

describe(page, () => {
  test('has each requirement of levels 1 and 2 once, and of level 3 none but those that are met', async () => {
    const named = requirements.flatMap(({ ids }) => ids);
    expect(new Set(named).size).toBe(named.length);
    const all = await required();
    expect(all).toHaveLength(253);
    const others = requirements.filter(({ ids }) => ids.some((id) => !all.includes(id)));
    expect(others.filter(({ asks, status }) => status !== 'met' || !asks.includes('level 3'))).toEqual([]);
    const isOther = new Set(others.flatMap(({ ids }) => ids));
    expect(named.filter((id) => !isOther.has(id)).sort()).toEqual(all.sort());
  });

  test.each(requirements)('$ids: has its text, a status, and a test or a reason', ({ asks, status, how, shownBy }) => {
    expect(['met', 'not met', 'operator', 'n/a']).toContain(status);
    expect([asks, how]).not.toContain('');
    if (status === 'met') expect(referencesOf(shownBy, page)).not.toEqual([]);
  });

  test.each(requirements)('$ids: names tests and files that there are', async ({ how, shownBy }) => {
    for (const { file, anchor, names } of referencesOf(`${how} ${shownBy}`, page)) {
      const source = await fileOf(file);
      if (file.startsWith('test/')) expect([file, names]).not.toEqual([file, []]);
      if (anchor) expect([file, ...anchorsOf(source)]).toContain(anchor);
      if (file.endsWith('.test.ts')) {
        for (const name of names) expect([file, name, hasTest(source, name)]).toEqual([file, name, true]);
      }
    }
  });

  test('lists exactly the unmet requirements at its top', () => {
    const listed = rowsOf(sectionOf(text, '## Unmet requirements')).flatMap(([ids = '']) => ids.split(', '));
    const notMet = requirements.filter(({ status }) => status === 'not met').flatMap(({ ids }) => ids);
    expect(listed.sort()).toEqual(notMet.sort());
  });
});
