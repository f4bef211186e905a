import { isNativeError } from 'node:util/types';
import { isDriverAdapterError } from '@prisma/driver-adapter-utils';
import { Prisma } from '../generated/prisma/client.ts';
import { DatabaseAwayError } from './health.ts';
import { UnansweredError } from './unanswered.ts';
import { invalid } from '../kernel/errors.ts';

/** Why the database has not done its work. */
export type Reason = 'duplicate' | 'duplicateId' | 'missingReference' | 'conflict' | 'sessionEnded' | 'unavailable';

/** By PostgreSQL's own codes (its documentation, appendix A); two characters mean a whole class. */
const states: Record<string, Reason> = {
  '23503': 'missingReference',
  '23505': 'duplicate',
  '40001': 'conflict',
  '40P01': 'conflict',
  // Of our own: prisma/functions, lock_for_write.
  TG401: 'sessionEnded',
  // Of connections, and of who may connect to what; of what there is too little of: memory, disk, connections.
  '08': 'unavailable',
  '28': 'unavailable',
  '3D': 'unavailable',
  '53': 'unavailable',
  // The server stops, has crashed, starts, or takes no writes: the moments of a failover. Or a statement was cancelled.
  '57': 'unavailable',
  '25006': 'unavailable',
  // A lock, a transaction that took too long.
  '55P03': 'unavailable',
  '25P03': 'unavailable',
  '25P04': 'unavailable',
  // Its disk fails.
  '58000': 'unavailable',
  '58030': 'unavailable',
};

/** By the words of Prisma's adapters, where they keep no code of PostgreSQL's, and by Prisma's own codes. */
const reasons: Record<string, Reason> = {
  DatabaseNotReachable: 'unavailable',
  ConnectionClosed: 'unavailable',
  SocketTimeout: 'unavailable',
  TransactionWriteConflict: 'conflict',
  P1001: 'unavailable',
  P1002: 'unavailable',
  P1017: 'unavailable',
  P2024: 'unavailable',
  P2028: 'unavailable',
  P2034: 'conflict',
};

/** What the driver and its pool say, who give no code. */
const messages =
  /^(Connection terminated|Client (was closed|has encountered a connection error)|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after calling end)/;

const socketCalls = ['connect', 'read', 'write', 'getaddrinfo'];

/** Prisma wraps a socket error that its adapter does not know, such as EPIPE, and keeps Node's code. */
const byNodeCode = (code: string): Reason | undefined => (/^E[A-Z_]+$/.test(code) ? 'unavailable' : undefined);

/** Why the database has not done something, also where the driver, Prisma's adapter or Prisma wraps it. */
export function reasonOf(error: unknown): Reason | undefined {
  if (error instanceof DatabaseAwayError || error instanceof UnansweredError) return 'unavailable';
  if (!isNativeError(error)) return undefined;
  const reason = byState(sqlStateOf(error));
  if (reason) return reason;
  if (isDriverAdapterError(error)) return reasons[error.cause.kind];
  if (error instanceof Prisma.PrismaClientKnownRequestError) {
    return reasonOf(error.meta?.['driverAdapterError']) ?? reasons[error.code] ?? byNodeCode(error.code);
  }
  const { syscall } = error as NodeJS.ErrnoException;
  const isAway = syscall === undefined ? messages.test(error.message) : socketCalls.includes(syscall);
  return isAway ? 'unavailable' : undefined;
}

/** The SQLSTATE of an error of PostgreSQL's, wrapped or not; undefined for any other error, such as of a connection. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!isNativeError(error)) return undefined;
  if (isDriverAdapterError(error)) return error.cause.originalCode;
  if (error instanceof Prisma.PrismaClientKnownRequestError) return sqlStateOf(error.meta?.['driverAdapterError']);
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall === undefined && /^[0-9A-Z]{5}$/.test(code ?? '') ? code : undefined;
}

const byState = (code: string | undefined): Reason | undefined =>
  code?.length === 5 ? (states[code] ?? states[code.slice(0, 2)]) : undefined;

/**
 * The unique constraints of ids, by their names in messages of any language: primary keys, and those that foreign keys of two
 * columns refer to. Of two that are violated PostgreSQL names any.
 */
const constraintOfId = /_(pkey|id_(space|project)_id_key)\b/;

/** The reason; a taken id is a separate reason. */
function refusalOf(error: unknown): Reason | undefined {
  const reason = reasonOf(error);
  if (reason !== 'duplicate' || !isNativeError(error)) return reason;
  const cause = error instanceof Prisma.PrismaClientKnownRequestError ? error.meta?.['driverAdapterError'] : error;
  const message = isDriverAdapterError(cause) ? cause.cause.originalMessage : error.message;
  return constraintOfId.test(message ?? '') ? 'duplicateId' : reason;
}

/** Whether two writers waited for each other, or wrote the same, and this one was rolled back for it. */
export const isConflict = (error: unknown) => reasonOf(error) === 'conflict';

/** Whether the database cannot at the moment: it is away, overloaded, or others kept what was needed for too long. */
export const isUnavailable = (error: unknown) => ['unavailable', 'conflict'].includes(reasonOf(error) ?? '');

/**
 * For the `catch` of a write, by a model or in raw SQL: says a refusal of the database as the error that the client is meant
 * to see. The constraint decides and not a look beforehand, so that races end in the same answer.
 */
export const mapConstraintError =
  (refusal: 'duplicate' | 'duplicateId' | 'missingReference' | 'sessionEnded', say: () => Error) =>
  (error: unknown): never => {
    throw refusalOf(error) === refusal ? say() : error;
  };

/** For the `catch` of what creates something by the id that a client chose: the same error for the caller's own and for others'. */
export const mapTakenId = (path = 'id') =>
  mapConstraintError('duplicateId', () => invalid(path, 'is taken: choose another one'));
