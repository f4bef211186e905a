const graphemes = new Intl.Segmenter();

/** The first character as users see it: such as an emoji of several code points. */
export const firstCharacter = (text: string): string => {
  const [first] = graphemes.segment(text);
  return first?.segment ?? '';
};

/** A text of at most this many UTF-16 code units, before an ellipsis if it is longer. No character is cut in two. */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = graphemes.segment(text).containing(maxLength)?.index ?? maxLength;
  return `${text.slice(0, end)}…`;
}
