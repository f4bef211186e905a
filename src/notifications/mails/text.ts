/** Line breaks, other control characters, and what turns the direction of the text around it. */
const unsafe = /[\s\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** A text as a part of one line: it can neither begin another one nor hide what comes after it. */
export const inLine = (text: string): string => text.replaceAll(unsafe, ' ').trim();

/** What mail clients know links by that nobody marked as such: a scheme, an address, a domain. A number is none. */
const linkable = /:\/\/(?=\S)|@(?=\S)|[.。．｡](?=[^\s.\d])|(?<=[^\s.\d])[.。．｡](?=\d)/gu;

/** What a user has written, as a part of one line that no mail client makes a link of. */
export const writtenByUser = (text: string): string => inLine(text).replaceAll(linkable, '$& ');

/** UTF-16 code units of a name in a mail. */
const maxNameLength = 60;

/** A name that a user has given to something, or to themselves: too short to tell strangers much. */
export const nameByUser = (text: string): string => shortened(writtenByUser(text), maxNameLength);

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A text of at most this many UTF-16 code units: a longer one ends with an ellipsis, with no character cut in two. */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  for (const { index, segment } of graphemes.segment(text)) {
    if (index + segment.length > maxLength - 1) break;
    end = index + segment.length;
  }
  return `${text.slice(0, end).trimEnd()}…`;
}
