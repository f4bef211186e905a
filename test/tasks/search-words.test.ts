import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { makeTag, makeTask, type RestTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
});
afterAll(() => service.close());
beforeEach(() => service.sql('DELETE FROM tasks; DELETE FROM tags; DELETE FROM trash'));

interface Found {
  todos: RestTask[];
  tags: { name: string }[];
}
const search = async (q: string) => (await anna.get<Found>(`/api/v2/todo/search?q=${encodeURIComponent(q)}`)).body;
const found = async (q: string) => (await search(q)).todos.map(({ title }) => title);
const filtered = async (text: string) => {
  const query = 'query ($text: String!) { tasks(filter: { text: $text }) { nodes { title } } }';
  const { tasks } = await anna.data<{ tasks: { nodes: { title: string }[] } }>(query, { text });
  return tasks.nodes.map(({ title }) => title);
};

const path = 'a/very/long/path/with/many/parts/of/it';
const kinds: [kind: string, title: string, queries: string[]][] = [
  ['Japanese', '会議の資料を準備する', ['資料', '準備', '会議', '料', 'する', '会議の資料を準備する', '資料 準備']],
  ['Japanese and Latin', 'iPhone用ケースを買う', ['iphone', 'ケース', '買う', 'ｉＰｈｏｎｅ']],
  ['half-width kana', 'ｶﾞｽ代を払う', ['ガス', 'ガス代']],
  ['Chinese', '明天去超市买牛奶', ['超市', '牛奶', '奶']],
  ['rare Han characters', '𠮷野家で昼食', ['𠮷野', '昼食']],
  ['Thai', 'ซื้อนมและขนมปัง', ['ขนมปัง', 'นม', 'ซื้อ']],
  ['Khmer', 'ទិញទឹកដោះគោ', ['ទឹក', 'គោ']],
  ['Korean', '보고서를 작성한다', ['보고서', '작성']],
  ['Hindi', 'हिन्दी में लिखना', ['हिन्दी', 'लिखना']],
  ['French', "Voir l'été indien", ['ete', 'été', 'ÉTÉ', "l'ete", 'indien']],
  ['a file', 'Send résumé.pdf', ['resume', 'résumé', 'pdf', 'resume.pdf']],
  ['Vietnamese', 'Mua phở ở Đà Nẵng', ['pho', 'da nang', 'Đà']],
  [
    'letters with a stroke',
    'Łódź, Tromsø, İstanbul, Straße, ĳs, œuvre',
    ['lodz', 'tromso', 'istanbul', 'strasse', 'oeuvre'],
  ],
  ['Greek', 'Πάω στον Όλυμπο ΧΑΡΟΣ', ['παω', 'ολυμπο', 'χαρος']],
  ['Hebrew', 'שָׁלוֹם', ['שלום']],
  ['Arabic', 'مُدَرِّس', ['مدرس']],
  [
    'a long address',
    `Check https://docs.example.org/${path}/quarterly-report-final.html`,
    ['quarterly', 'report', 'docs', 'example.org'],
  ],
  ['an e-mail address', 'Ask bob.smith@work.example', ['smith', 'work', 'bob.smith@work.example']],
  ['a name of a program', 'Fix read_file_text in src/kernel/input.ts', ['file', 'kernel', 'input', 'read_file_text']],
  ['a long word', 'Rindfleischetikettierungsgesetz lesen', ['etikettierung', 'rindfleisch']],
  ['a number of an issue', 'Review PROJ-1234 again', ['1234', 'PROJ-1234', 'proj', '-1234']],
  ['numbers', 'Call +49-30-1234 at 10:30, v1.2.3, 2027-01-31', ['1234', '10:30', '1.2.3', '2027-01-31', '2027', '31']],
  ['what looks like markup', 'Use <details> &amp; C#', ['details', 'c']],
];
const decomposed = (text: string) => text.normalize('NFD');

describe.each(kinds)('a search in %s', (_kind, title, queries) => {
  test('finds the parts of a title and of a description', async () => {
    await makeTask(anna, { title });
    await makeTask(anna, { title: '.', description: title });
    await makeTask(anna, { title: 'Something else' });
    for (const query of queries) {
      expect({ query, found: await found(query) }).toEqual({ query, found: [title, '.'] });
      expect({ query, found: await filtered(query) }).toEqual({ query, found: [title, '.'] });
    }
  });

  test('does not depend on how characters are composed', async () => {
    await makeTask(anna, { title: decomposed(title) });
    await makeTag(anna, { name: decomposed(title.slice(0, 60)) });
    for (const query of queries) {
      expect({ query, found: await found(query) }).toEqual({ query, found: [decomposed(title)] });
      expect(await found(decomposed(query))).toHaveLength(1);
    }
    expect((await search(queries[0] ?? '')).tags).toHaveLength(title.includes('quarterly') ? 0 : 1);
  });
});

test('a search of the longest text without spaces finds it', async () => {
  const title = Array.from({ length: 500 }, (_, index) => String.fromCodePoint(0x4e00 + index * 7)).join('');
  await makeTask(anna, { title });
  expect(await found(title)).toEqual([title]);
  expect(await filtered(title)).toEqual([title]);
});

test('a search does not find what has other characters', async () => {
  for (const title of ['会議の資料', '資金の料理', 'Voir le thé']) await makeTask(anna, { title });
  expect(await found('資料')).toEqual(['会議の資料']);
  expect(await found('ete')).toEqual([]);
});
