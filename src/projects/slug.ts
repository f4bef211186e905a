const longestWords = 60;
const suffixLength = 8;

/** The end of the id makes it unique and never empty (contract decisions, `slug`). */
export function slugOf(name: string, id: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const readable = (words ?? []).join('-').slice(0, longestWords).replace(/-$/, '');
  return [readable, id.slice(-suffixLength)].filter((part) => part !== '').join('-');
}
