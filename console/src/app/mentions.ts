import type { NamedMember } from './names.ts';

const mention = /@(user_[0-7][0-9a-hjkmnp-tv-z]{25})(?![0-9A-Za-z_])/g;

type Named = Pick<NamedMember, 'id' | 'name'>;

interface Part {
  readonly text: string;
  readonly isMention: boolean;
}

/** Splits a comment at its mentions, which are shown by name. Ids of others are plain text. */
export function partsOf(text: string, members: readonly Named[]): readonly Part[] {
  const names = new Map(members.map(({ id, name }) => [id, name]));
  const parts: Part[] = [];
  let end = 0;
  for (const { index, 0: match, 1: id = '' } of text.matchAll(mention)) {
    const name = names.get(id);
    if (name === undefined) continue;
    parts.push({ text: text.slice(end, index), isMention: false }, { text: `@${name}`, isMention: true });
    end = index + match.length;
  }
  return [...parts, { text: text.slice(end), isMention: false }].filter((part) => part.text !== '');
}

export const withNames = (text: string, members: readonly Named[]): string =>
  partsOf(text, members)
    .map((part) => part.text)
    .join('');

/** The inverse of {@link withNames}. */
export function withIds(text: string, members: readonly Named[]): string {
  const ids = new Map(members.map(({ id, name }) => [name.toLowerCase(), id]));
  // In lower case, some letters such as “İ” become two, which the pattern would not find.
  const names = members
    .map(({ name }) => name)
    // The longest name wins.
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`));
  if (names.length === 0) return text;
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}_])@(${names.join('|')})(?![\p{L}\p{N}_])`, 'giu');
  return text.replaceAll(pattern, (match, name: string) => `@${ids.get(name.toLowerCase()) ?? match.slice(1)}`);
}
