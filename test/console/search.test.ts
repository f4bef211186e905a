import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { partsOf, WordIndex, wordsOf } from '../../console/src/search/search.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { kinds, misspell, misspelt, nonMatches, word } from '../tasks/search-cases.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await sharedService();
  anna = await signUp(service);
});

interface Item {
  title: string;
  description?: string | null;
}
/** Leaves out ß, which counts as two letters. */
const typos = misspelt.filter(({ right, letter }) => !(right + letter).includes('ß'));

const found = (items: Item[], query: string) =>
  new WordIndex<Item>().find(items, wordsOf(query)).map(({ title }) => title);

describe('the words of a text', () => {
  const letters = Array.from(
    [
      'aeiouxyz0123456789 ,;:!?%#~=\'"()[]{}|-+./@_<&éÉèÅåñöüßÇøØłŁđıİſﬁǆœÆ²½Ⅷ℡«»—–’“”…¿¡',
      'ΑαάΌςσΣЖжёйЙіїבָּתالعَرَِبي한글각हिन्दीमें資料会議のをガがｶﾞ｡、・ー々〇𠮷ขนมปังนม้ำຂອງမြန်မាខ្មែរ',
      '\u00a0\u00ad\u200b\u200d\u3000',
    ].join(''),
  );
  const text = fc
    .array(fc.oneof(fc.constantFrom(...letters), fc.constantFrom('a', 'b', 'c', ' ')), { maxLength: 40 })
    .map((each) => each.join(''));
  const encoded = fc.tuple(text, fc.constantFrom('NFC', 'NFD', 'NFKC')).map(([each, form]) => each.normalize(form));

  async function expectSameWords(texts: readonly string[]) {
    const rows = await service.sql<{ words: string[] }>(
      `SELECT tsvector_to_array(to_tsvector('simple', search_text(text))) AS words
       FROM unnest($1::text[]) WITH ORDINALITY AS each (text, place) ORDER BY place`,
      [texts],
    );
    const own = texts.map((each) => [each, [...new Set(wordsOf(each))].sort()]);
    expect(own).toEqual(texts.map((each, index) => [each, [...(rows[index]?.words ?? [])].sort()]));
  }

  test('equal the words that the service finds in it', () =>
    fc.assert(fc.asyncProperty(fc.array(encoded, { minLength: 100, maxLength: 100 }), expectSameWords), {
      numRuns: 20,
    }));

  test('end after a number with an exponent', () =>
    expectSameWords(['0e3a', '0É3a', '1e2', '12e34e5a', 'x0e3a', '0e3я', '0e3資', '1e', '1e2e', '1.5e3a', '5e3ß']));
});

describe('the search of the console', () => {
  test.each(kinds)('finds the same as the service in %s', (_kind, title, queries) => {
    for (const form of ['NFC', 'NFD'] as const) {
      const items = [{ title: '.', description: title.normalize(form) }, { title: title.normalize(form) }];
      const unmatchedQueries = queries.filter(
        (query) => found([...items, { title: 'Something else' }], query).length !== 2,
      );
      expect(unmatchedQueries).toEqual([]);
    }
  });

  test.each(nonMatches)('does not find %s by texts by which the service does not find it', (title, query) => {
    expect(found([{ title }], query)).toEqual([]);
  });

  test('finds each title by each word, its beginnings, and the word with one letter wrong', () =>
    fc.assert(
      fc.property(fc.array(typos, { minLength: 1, maxLength: 4 }), word(1), (words, short) => {
        const title = [...words.map(({ right }) => right), short].join(' ');
        const queries = [...words.map(misspell), short, ...words.map(({ right }) => right.slice(0, 3)), title];
        for (const query of queries) expect([query, found([{ title }], query)]).toEqual([query, [title]]);
        expect(found([{ title }], words.map(misspell).join(' '))).toEqual([title]);
      }),
    ));

  test('finds everything that the service finds without a typo, and nothing else with a typo', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(typos, { minLength: 4, maxLength: 4 }),
        fc.array(word(1), { minLength: 4, maxLength: 4 }),
        async (misspellings, words) => {
          await service.sql('DELETE FROM tasks; DELETE FROM trash; DELETE FROM task_words');
          const titles = misspellings.map(({ right }, index) => `${right} ${words[index] ?? ''}`);
          await anna.data(
            `mutation { ${titles.map((title, index) => `t${index}: createTask(input: { title: ${JSON.stringify(title)} }) { id }`).join(' ')} }`,
          );
          const queries = [...words, ...misspellings.map(misspell), ...titles.map((title) => title.slice(0, -1))];
          const items = titles.map((title) => ({ title }));
          for (const query of queries) {
            const databaseMatches = await service.sql<{ title: string }>(
              `SELECT title FROM tasks WHERE search @@ (
                 SELECT string_agg(quote_literal(lexeme) || ':*', ' & ')::tsquery
                 FROM unnest(to_tsvector('simple', search_text($1))))`,
              [query],
            );
            const all = await anna.data<{ tasks: { nodes: Item[] } }>(
              'query ($text: String!) { tasks(filter: { text: $text }) { nodes { title } } }',
              { text: query },
            );
            const own = found(items, query);
            expect([query, own]).toEqual([query, expect.arrayContaining(databaseMatches.map(({ title }) => title))]);
            expect([query, all.tasks.nodes.map(({ title }) => title)]).toEqual([query, expect.arrayContaining(own)]);
          }
        },
      ),
      { numRuns: 3 },
    ));

  test('accepts no typo in numbers and words of four letters, and no two typos', () => {
    const items = ['Milk', 'Research', 'Invoice 20271', 'Housework'].map((title) => ({ title }));
    for (const query of ['mlik', 'reserhc', '20281', 'hosuewokr']) expect(found(items, query)).toEqual([]);
    expect(found(items, 'reserch')).toEqual(['Research']);
  });

  test('never loses a task while a word with a typo is typed, from its fifth letter', () =>
    fc.assert(
      fc.property(typos, (typo) => {
        const query = misspell(typo);
        for (let end = 5; end <= query.length; end += 1) {
          expect(found([{ title: typo.right }], query.slice(0, end))).toEqual([typo.right]);
        }
      }),
    ));

  test('lists whole words in titles first, then beginnings, then descriptions, then similar words', () => {
    const items = [
      { title: '1', description: 'hoses' },
      { title: 'Hoses' },
      { title: '2', description: 'houses' },
      { title: '3', description: 'A house' },
      { title: 'Houses' },
      { title: 'A house' },
    ];
    expect(found(items, 'house')).toEqual(['A house', 'Houses', '3', '2', 'Hoses', '1']);
  });

  test('reads each task once, and a changed task again', () => {
    const reads: string[] = [];
    const taskOf = (title: string) => ({
      get title() {
        reads.push(title);
        return title;
      },
    });
    const tasks = Array.from({ length: 50 }, (_, index) => taskOf(`Task ${index}`));
    const index = new WordIndex<Item>();
    expect(index.read(tasks, 0)).toBe(false);
    expect(index.read(tasks)).toBe(true);
    for (const query of ['t', 'ta', 'tasj', 'task 7']) index.find(tasks, wordsOf(query));
    expect(reads).toHaveLength(50);
    const changed = tasks.with(7, taskOf('Plan 7'));
    expect(index.find(changed, ['plan'])).toEqual([changed[7]]);
    expect(index.find(changed, ['task', '7'])).toEqual([]);
    expect(reads.filter((title) => title !== 'Plan 7')).toHaveLength(50);
  });

  test('is rebuilt after ten thousand edits', () => {
    const [first, second] = [{ title: 'Dig' }, { title: 'Sow' }];
    const index = new WordIndex<Item>();
    for (let edit = 0; edit < 10_200; edit += 1) index.read([{ title: `Dig ${edit}` }, second]);
    expect(index.find([first, second], ['dig'])).toEqual([first]);
    expect(index.find([first, second], ['sow'])).toEqual([second]);
    expect(index.size).toBeLessThan(1_000);
  });
});

test.each([
  ['Send résumé.pdf', 'resume', 'Send [résumé].pdf'],
  ['Send résumé.pdf'.normalize('NFD'), 'resu', 'Send [résu]mé.pdf'.normalize('NFD')],
  ["Voir l'été indien", "l'ete", "Voir [l]'[été] indien"],
  ['会議の資料を準備する', '資料', '会議の[資料]を準備する'],
  ['資金の資料', '資料', '資金の[資料]'],
  ['ｶﾞｽ代を払う', 'ガス', '[ｶﾞｽ]代を払う'],
  ['한국어'.normalize('NFD'), '한국', '[한국]어'.normalize('NFD')],
  ['Große Straße', 'strasse', 'Große [Straße]'],
  ['Do the research now', 'reserch', 'Do the [research] now'],
  ['Review PROJ-1234', 'proj-12', 'Review [PROJ]-[12]34'],
  ['Das Rindfleischetikettierungsgesetz', 'etikett', 'Das Rindfleisch[etikett]ierungsgesetz'],
  ['Milk', 'water', 'Milk'],
])('in “%s”, “%s” marks the matches', (title, query, marked) => {
  const parts = partsOf(title, wordsOf(query));
  expect(parts.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('')).toBe(marked);
});
