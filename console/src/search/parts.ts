import { fitOf, fits } from './word-index.ts';
import { fold, isAscii, isUnspaced, wordsIn } from './words.ts';

interface Part {
  text: string;
  readonly isMatch: boolean;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const charactersIn = (text: string): string[] =>
  isAscii.test(text) ? Array.from(text) : Array.from(segmenter.segment(text), ({ segment }) => segment);

/** A typo matches the whole word. */
function findMatch(word: string, queryWord: string): [start: number, end: number] {
  if (fitOf(queryWord, word) === fits.none) return [0, 0];
  const start = word.indexOf(queryWord);
  return start < 0 ? [0, word.length] : [start, start + queryWord.length];
}

/** Accents stay with their letters. */
export function partsOf(text: string, queryWords: readonly string[]): Part[] {
  // Pairs of letters match more exactly than the first and the last letter.
  const relevantWords = queryWords.filter(
    (word) => !isUnspaced.test(word) || !queryWords.some((other) => other !== word && other.includes(word)),
  );
  const characters = charactersIn(text).map((segment) => ({ segment, letters: fold(segment) }));
  const matches = wordsIn(characters.map(({ letters }) => letters).join('')).flatMap(({ letters, at }) =>
    relevantWords
      .map((word) => findMatch(letters, word))
      .filter(([start, end]) => start < end)
      .map(([start, end]) => ({ start: at + start, end: at + end })),
  );
  const isMatched = (from: number, to: number) => matches.some(({ start, end }) => start < to && from < end);
  const parts: Part[] = [];
  let at = 0;
  for (const { segment, letters } of characters) {
    const isMatch = isMatched(at, at + letters.length);
    at += letters.length;
    const last = parts.at(-1);
    if (last?.isMatch === isMatch) last.text += segment;
    else parts.push({ text: segment, isMatch });
  }
  return parts;
}
