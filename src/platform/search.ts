/** Names have up to 255 characters, and one of them may become two in lower case. PostgreSQL folds a pattern for each row. */
const beginning = /^.{0,511}/su;

/** Escapes wildcards, because Prisma passes them to ILIKE unchanged. */
export const containing = (search: string) => ({
  contains: (beginning.exec(search)?.[0] ?? '').replace(/[\\%_]/g, '\\$&'),
  mode: 'insensitive' as const,
});
