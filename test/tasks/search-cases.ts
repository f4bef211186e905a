import fc from 'fast-check';

const path = 'a/very/long/path/with/many/parts/of/it';
/** Titles with matching queries, for the service and the console. */
export const kinds: readonly [kind: string, title: string, queries: readonly string[]][] = [
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
  ['about a number', 'Buy ~20 chairs for ~50€', ['20', '~20', '50', 'chairs']],
  ['what looks like markup', 'Use <details> &amp; C#', ['details', 'c']],
];
export const nonMatches: readonly [title: string, query: string][] = [
  ['資金の料理', '資料'],
  ['Voir le thé', 'ete'],
  ['Invoice 20281', '20271'],
  ['Paint the wall', 'paint fence'],
  ['Paint the wall', '!'],
];

const alphabets = [
  'abcdefghijklmnopqrstuvwxyz',
  'абвгдежзийклмнопрстуфхцчшщъыьэюя',
  'αβγδεζηθικλμνξοπρστυφχψω',
  'aäbcoöuüß',
];

const wordOf = (letters: string, minLength: number) =>
  fc.string({ unit: fc.constantFrom(...letters), minLength, maxLength: 12 });
export const word = (minLength: number) => fc.constantFrom(...alphabets).chain((letters) => wordOf(letters, minLength));

/** The search reads ß as ss, so one wrong ß would be two wrong letters. */
const alphabetsOfTypos = alphabets.map((letters) => letters.replace('ß', ''));

/** A word with one typo: a letter missing, added, replaced, or swapped with the next one. */
export const misspelt = fc.constantFrom(...alphabetsOfTypos).chain((letters) =>
  fc.record({
    right: wordOf(letters, 5),
    kind: fc.constantFrom('left out', 'added', 'another', 'swapped'),
    letter: fc.constantFrom(...letters),
    place: fc.nat(11),
  }),
);

type Misspelt = typeof misspelt extends fc.Arbitrary<infer Value> ? Value : never;

export function misspell({ right, kind, letter, place }: Misspelt): string {
  const at = place % right.length;
  const [before, here, after] = [right.slice(0, at), right.charAt(at), right.slice(at + 1)];
  if (kind === 'left out') return before + after;
  if (kind === 'added') return before + letter + here + after;
  if (kind === 'another') return before + letter + after;
  return before + after.charAt(0) + here + after.slice(1);
}
