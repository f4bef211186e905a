import { types } from 'node:util';

const secretNames = new Set([
  'password',
  'currentpassword',
  'newpassword',
  'confirmnewpassword',
  'code',
  'otp',
  'cookie',
  'set-cookie',
  'authorization',
  'proxy-authorization',
  'secret',
  'token',
]);

const removed = '[Redacted]';
const maxDepth = 6;
/** Bounds the depth of causes, and the length of `errors`. */
const maxCauses = 4;

/** Redacts values under secret names, at any depth. */
export function withoutSecrets(line: Record<string, unknown>): Record<string, unknown> {
  return redact(line, 0) as Record<string, unknown>;
}

/** Tests run in a realm of their own, where `instanceof` fails for Node's errors. */
const isError = (value: unknown): value is Error => value instanceof Error || types.isNativeError(value);

function redact(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isError(value)) return depth <= 1 ? value : describeError(value);
  if (value instanceof Date || value instanceof Uint8Array) return value;
  if (depth > maxDepth) return '[Object]';
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      secretNames.has(name.toLowerCase()) ? removed : redact(item, depth + 1),
    ]),
  );
}

/**
 * Fields that identify errors of Node, PostgreSQL (SQLSTATE as code), Prisma and mail servers. Requests, rows and
 * parameters are not logged.
 */
const loggedFields = [
  'code',
  'errno',
  'syscall',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
  'kind',
  'originalCode',
  'originalMessage',
  'responseCode',
  'status',
] as const;

/** @param depth in the chain of causes */
export function describeError(error: unknown, depth = 0): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const source = error as Record<string, unknown>;
  const logged: Record<string, unknown> = {};
  if (isError(error)) Object.assign(logged, { type: error.name, message: error.message, stack: error.stack });
  for (const field of loggedFields) {
    if (['string', 'number'].includes(typeof source[field])) logged[field] = source[field];
  }
  if (depth >= maxCauses) return logged;
  const cause = source['cause'] ?? adapterErrorOf(source);
  if (cause !== undefined) logged['cause'] = describeError(cause, depth + 1);
  const { errors } = source;
  if (isError(error) && Array.isArray(errors)) {
    logged['errors'] = errors.slice(0, maxCauses).map((each) => describeError(each, depth + 1));
  }
  return logged;
}

function adapterErrorOf({ meta }: Record<string, unknown>): unknown {
  return typeof meta === 'object' && meta !== null
    ? (meta as Record<string, unknown>)['driverAdapterError']
    : undefined;
}
