/** Escapes wildcards: Prisma passes the text to ILIKE unchanged. */
export const containing = (search: string) => ({
  contains: search.replace(/[\\%_]/g, '\\$&'),
  mode: 'insensitive' as const,
});
