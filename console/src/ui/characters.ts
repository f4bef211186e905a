const graphemes = new Intl.Segmenter();

/** Returns the first grapheme, such as an emoji of several code points. */
export const firstCharacter = (text: string): string => {
  const [first] = graphemes.segment(text);
  return first?.segment ?? '';
};

/** Cuts a text to `maxLength` UTF-16 code units and an ellipsis, without splitting a grapheme. */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = graphemes.segment(text).containing(maxLength)?.index ?? maxLength;
  return `${text.slice(0, end)}…`;
}
