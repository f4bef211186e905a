const graphemes = new Intl.Segmenter();

/** An emoji may have several code points. */
export const firstCharacter = (text: string): string => {
  const [first] = graphemes.segment(text);
  return first?.segment ?? '';
};

/** Counts UTF-16 code units and splits no grapheme. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = graphemes.segment(text).containing(maxLength)?.index ?? maxLength;
  return `${text.slice(0, end)}…`;
}

/** Direction controls would turn the rest of a sentence around. */
export const withoutDirections = (text: string): string => text.replaceAll(/\p{Bidi_Control}/gu, '');

export const maxTitleLength = 500;
