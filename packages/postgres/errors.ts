import { isNativeError } from 'node:util/types';
import { isDriverAdapterError } from '@prisma/driver-adapter-utils';
import { PrismaClientKnownRequestError } from '@prisma/client/runtime/client';
import { invalid } from '@taskgate/base';
import { DatabaseAwayError } from './health.ts';
import { UnansweredError } from './unanswered.ts';

export type Reason =
  | 'duplicate'
  | 'duplicateId'
  | 'missingReference'
  | 'check'
  | 'conflict'
  | 'sessionEnded'
  | 'roleTooLow'
  | 'claimLost'
  | 'unavailable';

/** SQLSTATEs, or their classes of two characters. */
const states: Record<string, Reason> = {
  '23503': 'missingReference',
  '23505': 'duplicate',
  '23514': 'check',
  // An exclusion constraint: another transaction has just taken the place.
  '23P01': 'conflict',
  '40001': 'conflict',
  '40P01': 'conflict',
  TG401: 'sessionEnded',
  TG403: 'roleTooLow',
  TG409: 'claimLost',
  // Connection, authorization, catalog name, insufficient resources.
  '08': 'unavailable',
  '28': 'unavailable',
  '3D': 'unavailable',
  '53': 'unavailable',
  // Shutdown, crash, start, cancelled statement. 25006: read-only, as in a failover.
  '57': 'unavailable',
  '25006': 'unavailable',
  '55P03': 'unavailable',
  '25P03': 'unavailable',
  '25P04': 'unavailable',
  // Disk failures.
  '58000': 'unavailable',
  '58030': 'unavailable',
};

/** Adapter errors without an SQLSTATE, and Prisma's own codes. */
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

/** Driver and pool errors have no code. */
const messages =
  /^(Connection terminated|Client (was closed|has encountered a connection error)|timeout exceeded when trying to connect|timeout expired|Query read timeout|Cannot use a pool after calling end)/;

const socketCalls = ['connect', 'read', 'write', 'getaddrinfo'];

/** Prisma wraps unknown socket errors, such as EPIPE, but keeps Node's code. */
const byNodeCode = (code: string): Reason | undefined => (/^E[A-Z_]+$/.test(code) ? 'unavailable' : undefined);

/** Undefined: not an error of the database. */
export function reasonOf(error: unknown): Reason | undefined {
  if (error instanceof DatabaseAwayError || error instanceof UnansweredError) return 'unavailable';
  if (!isNativeError(error)) return undefined;
  const reason = byState(sqlStateOf(error));
  if (reason) return reason;
  if (isDriverAdapterError(error)) return reasons[error.cause.kind];
  if (error instanceof PrismaClientKnownRequestError) {
    return reasonOf(error.meta?.['driverAdapterError']) ?? reasons[error.code] ?? byNodeCode(error.code);
  }
  const { syscall } = error as NodeJS.ErrnoException;
  const isAway = syscall === undefined ? messages.test(error.message) : socketCalls.includes(syscall);
  return isAway ? 'unavailable' : undefined;
}

/** Undefined for errors that are not from PostgreSQL, such as connection errors. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!isNativeError(error)) return undefined;
  if (isDriverAdapterError(error)) return error.cause.originalCode;
  if (error instanceof PrismaClientKnownRequestError) return sqlStateOf(error.meta?.['driverAdapterError']);
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall === undefined && /^[0-9A-Z]{5}$/.test(code ?? '') ? code : undefined;
}

const byState = (code: string | undefined): Reason | undefined =>
  code?.length === 5 ? (states[code] ?? states[code.slice(0, 2)]) : undefined;

/**
 * Constraints of ids: primary keys, and targets of foreign keys with two columns. Messages of any language contain
 * their names.
 */
const constraintOfId = /_(pkey|id_(space|project)_id_key)\b/;

function refusalOf(error: unknown): Reason | undefined {
  const reason = reasonOf(error);
  if (reason !== 'duplicate' || !isNativeError(error)) return reason;
  const cause = error instanceof PrismaClientKnownRequestError ? error.meta?.['driverAdapterError'] : error;
  const message = isDriverAdapterError(cause) ? cause.cause.originalMessage : error.message;
  return constraintOfId.test(message ?? '') ? 'duplicateId' : reason;
}

export const isConflict = (error: unknown) => reasonOf(error) === 'conflict';

/** True also if the database is overloaded, or locked for too long. */
export const isUnavailable = (error: unknown) => ['unavailable', 'conflict'].includes(reasonOf(error) ?? '');

/**
 * Returns a `catch` handler that turns a constraint violation into the client's error. A check in advance would race.
 */
export const mapConstraintError =
  (
    refusal: 'duplicate' | 'duplicateId' | 'missingReference' | 'check' | 'sessionEnded' | 'roleTooLow' | 'claimLost',
    say: () => Error,
  ) =>
  (error: unknown): never => {
    throw refusalOf(error) === refusal ? say() : error;
  };

/** The error does not reveal the existing row's owner. */
export const mapTakenId = (path = 'id') =>
  mapConstraintError('duplicateId', () => invalid(path, 'is taken: choose another one'));
