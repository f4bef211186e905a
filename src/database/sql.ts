import { Prisma } from '../generated/prisma/client.ts';

/** The moment in a column, in SQL, as clients are given it: ISO 8601 in UTC with milliseconds, as `toISOString`. */
export const sqlTimestamp = (column: string) => Prisma.raw(`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
