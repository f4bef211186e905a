import { isDriverAdapterError } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { Prisma } from '../generated/prisma/client.ts';
import type { TaskgateError } from './errors.ts';

/** Why the database refuses a write, in the words of Prisma's adapters. */
const refusals = { duplicate: 'UniqueConstraintViolation', missingReference: 'ForeignKeyConstraintViolation' } as const;

/** The same by PostgreSQL's own codes, for statements that go past Prisma. */
const reasons: Record<string, string> = {
  '23503': 'ForeignKeyConstraintViolation',
  '23505': 'UniqueConstraintViolation',
  '40001': 'TransactionWriteConflict',
  '40P01': 'TransactionWriteConflict',
};

/** Whether two writers waited for each other, or wrote the same, and this one was rolled back for it. */
export const isConflict = (error: unknown) => reasonOf(error) === 'TransactionWriteConflict';

/**
 * For the `catch` of a write, by a model or in raw SQL: says a refusal of the database as the error that
 * the client is meant to see. The constraint decides and not a look beforehand, so that races end in the
 * same answer.
 */
export const refused =
  (refusal: keyof typeof refusals, say: () => TaskgateError) =>
  (error: unknown): never => {
    throw reasonOf(error) === refusals[refusal] ? say() : error;
  };

/** What the adapter says, whether Prisma wraps it (in a statement) or not (at the commit), or PostgreSQL itself. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) return reasons[error.code ?? ''];
  if (isDriverAdapterError(error)) return error.cause.kind;
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return undefined;
  if (error.code === 'P2034') return 'TransactionWriteConflict';
  const told = error.meta?.['driverAdapterError'];
  return isDriverAdapterError(told) ? told.cause.kind : undefined;
}
