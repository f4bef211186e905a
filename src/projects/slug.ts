const longestWords = 60;
const suffixLength = 8;

/**
 * URL-safe form of a project's name with the end of its id: unlike any other project's, and never
 * empty, whatever the script of the name (contract decisions, `slug`).
 */
export function slugOf(name: string, id: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const readable = (words ?? []).join('-').slice(0, longestWords).replace(/-$/, '');
  return [readable, id.slice(-suffixLength)].filter((part) => part !== '').join('-');
}
