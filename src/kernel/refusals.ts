import { Prisma } from '../generated/prisma/client.ts';
import type { TaskgateError } from './errors.ts';

/** Why the database refuses a write, by Prisma's code. */
const refusals = { duplicate: 'P2002', missingReference: 'P2003' } as const;

/**
 * For the `catch` of a write: says a refusal of the database as the error that the client is meant to
 * see. The constraint decides and not a look beforehand, so that races end in the same answer.
 */
export const refused =
  (refusal: keyof typeof refusals, say: () => TaskgateError) =>
  (error: unknown): never => {
    throw error instanceof Prisma.PrismaClientKnownRequestError && error.code === refusals[refusal] ? say() : error;
  };
