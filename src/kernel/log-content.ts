import { types } from 'node:util';

/** Names under which secrets come; `code` is a one-time code, where it is not an error's. */
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
/** Objects within one another that are written; what lies deeper is left out. */
const maxDepth = 6;
/** Errors within one another that are logged. */
const maxCauses = 4;

/** What a line says, without values under the names of secrets, at any depth. Errors are left to `describeError`. */
export function withoutSecrets(line: Record<string, unknown>): Record<string, unknown> {
  return cleaned(line, 0) as Record<string, unknown>;
}

/** Node's errors are of another realm for code that runs in its own realm, as tests do. */
const isError = (value: unknown): value is Error => value instanceof Error || types.isNativeError(value);

function cleaned(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isError(value)) return depth <= 1 ? value : describeError(value);
  if (value instanceof Date || value instanceof Uint8Array) return value;
  if (depth > maxDepth) return '[Object]';
  if (Array.isArray(value)) return value.map((item) => cleaned(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      secretNames.has(name.toLowerCase()) ? removed : cleaned(item, depth + 1),
    ]),
  );
}

/**
 * What is logged of an error in addition to type, message and stack: which one it is, for Node's (code, errno,
 * syscall), PostgreSQL's (SQLSTATE as code, severity, names of what it is about), Prisma's (code; its adapter's
 * original code) and those of mail servers. Libraries hang requests, rows, bodies and parameters on their errors: none
 * of those.
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

/** An error as the log shows it, with its causes. @param depth of how many others it is a cause */
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

/** Prisma puts the error of the driver there. */
function adapterErrorOf({ meta }: Record<string, unknown>): unknown {
  return typeof meta === 'object' && meta !== null
    ? (meta as Record<string, unknown>)['driverAdapterError']
    : undefined;
}
