/** Line breaks, other control characters, and what turns the direction of the text around it. */
const unsafe = /[\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** A text as a part of one line: it can neither begin another one nor hide what comes after it. */
export const inLine = (text: string): string => text.replaceAll(unsafe, ' ').trim();

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A text of at most so many UTF-16 code units: a longer one ends by an ellipsis, with no character cut in two. */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  for (const { index, segment } of graphemes.segment(text)) {
    if (index + segment.length > maxLength - 1) break;
    end = index + segment.length;
  }
  return `${text.slice(0, end).trimEnd()}…`;
}
