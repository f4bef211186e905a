import { isDriverAdapterError } from '@prisma/driver-adapter-utils';
import { Prisma } from '../generated/prisma/client.ts';
import type { TaskgateError } from './errors.ts';

/** Why the database refuses a write, in the words of Prisma's adapters. */
const refusals = { duplicate: 'UniqueConstraintViolation', missingReference: 'ForeignKeyConstraintViolation' } as const;

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

function reasonOf(error: unknown): string | undefined {
  const known = error instanceof Prisma.PrismaClientKnownRequestError ? error.meta?.['driverAdapterError'] : undefined;
  return known !== undefined && isDriverAdapterError(known) ? known.cause.kind : undefined;
}
