/** Line breaks, other control characters, and direction controls. */
const unsafe = /[\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** Returns a text that can neither start a new line nor hide the text after it. */
export const inLine = (text: string): string => text.replaceAll(unsafe, ' ').trim();

/** Patterns that mail clients turn into links. Numbers do not match. */
const linkable = /:\/\/(?=\S)|@(?=\S)|[.。．｡](?=[^\s.\d])|(?<=[^\s.\d])[.。．｡](?=\d)/gu;

/** Returns a text without links that mail clients detect. */
export const withoutLinks = (text: string): string => text.replaceAll(linkable, '$& ');

/** Returns a text on one line, without links that mail clients detect. */
export const writtenByUser = (text: string): string => withoutLinks(inLine(text));

/** In UTF-16 code units. */
const maxNameLength = 60;

/** Returns a name that a user chose. It is cut, so it cannot carry a message to strangers. */
export const nameByUser = (text: string): string => shortened(writtenByUser(text), maxNameLength);

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** @param maxLength in UTF-16 code units. No character is split */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  for (const { index, segment } of graphemes.segment(text)) {
    if (index + segment.length > maxLength - 1) break;
    end = index + segment.length;
  }
  // Before an ellipsis, the start of a link looks like one.
  return `${text.slice(0, end).replace(/[\s.:/@。．｡]+$/u, '')}…`;
}
