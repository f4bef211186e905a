import { type Sql, sqltag as sql } from '@prisma/client/runtime/client';

export interface Clock {
  /** Fixed time of a test. Undefined means the database clock, which all processes share. */
  readonly now: Date | undefined;
}

export const databaseClock: Clock = { now: undefined };

export const nowOf = ({ now }: Clock): Sql =>
  now ? sql`${now.toISOString()}::timestamptz` : sql`statement_timestamp()`;

/** An interval. */
export const seconds = (count: number): Sql => sql`make_interval(secs => ${count}::float8)`;
