import { describe, expect, test } from '@jest/globals';
import { anchorsOf, fileOf, hasTest, referencesOf, rowsOf, sectionOf } from './page.ts';

const page = 'docs/security.md';

interface Requirement {
  ids: string[];
  requirement: string;
  status: string;
  explanation: string;
  evidence: string;
}

const text = await fileOf(page);
const requirements = rowsOf(sectionOf(text, '## The requirements')).map(
  ([ids = '', requirement = '', status = '', explanation = '', evidence = '']): Requirement => ({
    ids: ids.split(', '),
    requirement,
    status,
    explanation,
    evidence,
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
  test('has each requirement of levels 1 and 2 once, and of level 3 only met ones', async () => {
    const namedIds = requirements.flatMap(({ ids }) => ids);
    expect(new Set(namedIds).size).toBe(namedIds.length);
    const all = await required();
    expect(all).toHaveLength(253);
    const others = requirements.filter(({ ids }) => ids.some((id) => !all.includes(id)));
    expect(others.filter(({ requirement, status }) => status !== 'met' || !requirement.includes('level 3'))).toEqual(
      [],
    );
    const otherIds = new Set(others.flatMap(({ ids }) => ids));
    expect(namedIds.filter((id) => !otherIds.has(id)).sort()).toEqual(all.sort());
  });

  test.each(requirements)(
    '$ids: has its text, a status, and a test or a reason',
    ({ requirement, status, explanation, evidence }) => {
      expect(['met', 'not met', 'operator', 'n/a']).toContain(status);
      expect([requirement, explanation]).not.toContain('');
      if (status === 'met') expect(referencesOf(evidence, page)).not.toEqual([]);
    },
  );

  test.each(requirements)('$ids: names existing tests and files', async ({ explanation, evidence }) => {
    for (const { file, anchor, names } of referencesOf(`${explanation} ${evidence}`, page)) {
      const source = await fileOf(file);
      if (file.startsWith('test/')) expect([file, names]).not.toEqual([file, []]);
      if (anchor) expect([file, ...anchorsOf(source)]).toContain(anchor);
      if (file.endsWith('.test.ts')) {
        for (const name of names) expect([file, name, hasTest(source, name)]).toEqual([file, name, true]);
      }
    }
  });

  test('lists exactly the unmet requirements at its top', () => {
    const unmetIds = rowsOf(sectionOf(text, '## Unmet requirements')).flatMap(([ids = '']) => ids.split(', '));
    const notMetIds = requirements.filter(({ status }) => status === 'not met').flatMap(({ ids }) => ids);
    expect(unmetIds.sort()).toEqual(notMetIds.sort());
  });
});
