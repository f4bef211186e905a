/* Splits texts like `search_text` of the database. */

/** Chinese, Japanese, Thai, Lao, Burmese, Khmer. */
const unspaced = String.raw`\u0E01-\u0E30\u0E32\u0E33\u0E40-\u0E46\u0E81-\u0EB0\u0EB2\u0EB3\u0EBD-\u0EC6\u0EDC-\u0EDF\u1000-\u102A\u103F\u1050-\u1055\u1780-\u17B3\u3005-\u3007\u3041-\u3096\u309D-\u309F\u30A1-\u30FA\u30FC-\u312F\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{3FFFF}`;
const letter = String.raw`[${unspaced}][\u0E31\u0E34-\u0E3A\u0E47-\u0E4E\u0EB1\u0EB4-\u0EBC\u0EC8-\u0ECE\u102B-\u103E\u1056-\u1059\u17B4-\u17D3\u17DD\u3099\u309A]*`;
const unspacedLetters = new RegExp(letter, 'gv');
export const isUnspaced = new RegExp(`^[${unspaced}]`, 'v');
/** Symbols are words, because a database with the locale C takes them for letters. */
const symbols = String.raw`[^\p{ASCII}\p{L}\p{M}\p{N}\s]+`;
/** The parser of PostgreSQL ends a word after it. */
const exponent = String.raw`\d+e\d+`;
const runs = new RegExp(String.raw`(?:${letter})+|${exponent}|[[\p{L}\p{M}\p{N}]--[${unspaced}]]+|${symbols}`, 'gv');
const asciiRuns = new RegExp(`${exponent}|[a-z0-9]+`, 'g');

export const isAscii = /^\p{ASCII}*$/u;
const marks = new RegExp(
  // eslint-disable-next-line no-misleading-character-class -- the class has accents without their letters
  String.raw`[\u00AD\u0300-\u036F\u0483-\u0487\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u064B-\u065F\u0670\u06D6-\u06DC\u1AB0-\u1AFF\u1DC0-\u1DFF\u200B-\u200F\u2060\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\uFEFF]+`,
  'gu',
);
const signs = /[\u0080-\u00BF\u00D7\u00F7\u2010-\u205F\u2E00-\u2E7F\u3000-\u3004\u3008-\u3020\u3030\u30A0\u30FB]+/gu;
/** Letters without a decomposition in Unicode. */
const baseLetters: Readonly<Record<string, string>> = {
  ς: 'σ',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
};
const specialLetters = new RegExp(`[${Object.keys(baseLetters).join('')}]`, 'gv');

export const fold = (text: string): string =>
  isAscii.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .replace(marks, '')
        .normalize('NFC')
        .toLowerCase()
        .replace(specialLetters, (each) => baseLetters[each] ?? each)
        .replace(signs, ' ');

export interface Word {
  readonly letters: string;
  readonly at: number;
}

/** Scripts without spaces give pairs of letters, the first letter and the last letter. */
export const wordsIn = (folded: string): Word[] =>
  [...folded.matchAll(isAscii.test(folded) ? asciiRuns : runs)].flatMap(({ 0: run, index }) =>
    isUnspaced.test(run) ? pairsIn(run, index) : { letters: run, at: index },
  );

function pairsIn(run: string, start: number): Word[] {
  const letters = [...run.matchAll(unspacedLetters)].map(({ 0: each, index }) => ({
    letters: each,
    at: start + index,
  }));
  const pairs = letters.map((each, place) => ({
    ...each,
    letters: each.letters + (letters[place + 1]?.letters ?? ''),
  }));
  return letters.length > 1 ? [...letters.slice(0, 1), ...pairs] : pairs;
}

export const wordsOf = (text: string): readonly string[] =>
  isAscii.test(text) ? (text.toLowerCase().match(asciiRuns) ?? []) : wordsIn(fold(text)).map(({ letters }) => letters);
