/**
 * Prisma's filter for text that contains the search, without regard to case. Prisma hands the text to
 * ILIKE as it is, so its wildcards are made plain characters here.
 */
export const containing = (search: string) => ({
  contains: search.replace(/[\\%_]/g, '\\$&'),
  mode: 'insensitive' as const,
});
