/** Escapes wildcards, because Prisma passes them to ILIKE unchanged. */
export const containing = (search: string) => ({
  contains: search.replace(/[\\%_]/g, '\\$&'),
  mode: 'insensitive' as const,
});
