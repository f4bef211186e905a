import { seconds } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';

const { raw, sql } = Prisma;

/**
 * Condition that a moment is less than the seconds ago.
 * @param column a moment by the database's clock. Later ones are of a clock that was set back: they would count until it
 * reaches them
 */
export const isRecent = (column: string, count: number): Prisma.Sql =>
  sql`${raw(column)} BETWEEN statement_timestamp() - ${seconds(count)} AND statement_timestamp() + interval '1 minute'`;
