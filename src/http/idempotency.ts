import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { type ExecutionArgs, type ExecutionResult, print } from 'graphql';
import { spacesTouched } from '../database/write.ts';
import { runIdempotent, type StoredResponse } from '../database/idempotency.ts';
import { storedPart } from '../graphql/stored-responses.ts';
import type { CheckedOperation } from '../graphql/check-operation.ts';
import { run } from '../graphql/execute.ts';
import { requireRightsFor } from '../graphql/rights.ts';
import { type Context, refreshViewer, signedIn } from '../kernel/context.ts';
import { invalid } from '../kernel/errors.ts';
import { idsIn, isIdempotencyKey } from '../kernel/ids.ts';
import { fixedPolicies, freeStoredKib } from '../kernel/rate-limit-policies.ts';
import type { RateLimitStore } from '../rate-limits/rate-limit-store.ts';
import { RateLimit } from '../rate-limits/rate-limits.ts';
import { bytesOf } from './response-cache.ts';

/** Bytes that a stored response may have: a database is no place for large ones. */
const maxStoredBytes = 1024 * 1024;

declare module '../kernel/services.ts' {
  interface Services {
    /** KiB that are stored for an account: a short mutation can have a long response, which stays for a day. */
    storedResponses: RateLimit;
  }
}

/** @param store undefined: there is no limit */
export const storedResponsesLimit = (store: RateLimitStore | undefined) =>
  new RateLimit({
    policy: fixedPolicies.storedResponses,
    store,
    message: 'Responses stored under idempotency keys are too large: ask for fewer fields',
  });

/** Where a request may have an idempotency key; GraphQL's has two places for the same one. */
interface KeySource {
  /** The values of its `Idempotency-Key` headers (draft-ietf-httpapi-idempotency-key-header), taken as they are. */
  headers?: readonly string[] | undefined;
  /** GraphQL's own, with `idempotencyKey`. */
  extensions?: unknown;
}

export const headersOfKey = ({ headersDistinct }: Request): readonly string[] | undefined =>
  headersDistinct['idempotency-key'];

/**
 * The key that a request brings; undefined where it brings none.
 * @throws VALIDATION_FAILED where it is malformed, or the places have different ones
 */
export function idempotencyKeyOf({ headers = [], extensions }: KeySource): string | undefined {
  const { idempotencyKey: extension = null } = (extensions ?? {}) as { idempotencyKey?: unknown };
  const given = [
    ...headers.map((value) => ({ path: 'Idempotency-Key', value })),
    ...(extension === null ? [] : [{ path: 'extensions.idempotencyKey', value: extension }]),
  ];
  let key: string | undefined;
  for (const { path, value } of given) {
    if (typeof value !== 'string' || !isIdempotencyKey(value)) {
      throw invalid(path, 'must have 1 to 255 characters of printable ASCII');
    }
    if (key !== undefined && value !== key) throw invalid(path, 'must be the same key wherever it is given');
    key = value;
  }
  return key;
}

/**
 * The key of a GraphQL operation; undefined for reads and for mutations whose responses are never stored.
 * @throws VALIDATION_FAILED, also where such mutations are to be done together with others under a key
 */
export function keyOfOperation(
  schema: ExecutionArgs['schema'],
  { document, operation }: CheckedOperation,
  source: KeySource,
): string | undefined {
  if (!source.headers && !source.extensions) return undefined;
  const stored = storedPart(schema, document, operation);
  if (stored === 'none') return undefined;
  const key = idempotencyKeyOf(source);
  if (key !== undefined && stored === 'some') {
    throw invalid('query', 'must not have mutations of sessions and passwords beside others under an idempotency key');
  }
  return key;
}

export interface KeyedOperation {
  key: string;
  /** What makes it another request: values of JSON, and files. */
  parts: readonly unknown[];
  /** How many mutations it has. */
  writes: number;
}

/**
 * Runs an operation once for its key, in one transaction with its effect: see `runIdempotent` of database/idempotency.ts.
 * @param run gets its own context
 * @throws what it throws: nothing has happened then; UNAUTHENTICATED where the session has ended meanwhile; RATE_LIMITED where too
 *   much is stored for the account
 */
export async function runOnce(
  context: Context,
  { key, parts, writes }: KeyedOperation,
  run: (own: Context) => Promise<Buffer>,
): Promise<StoredResponse> {
  const viewer = signedIn(context);
  const { id } = viewer;
  const { signal } = context.cancellation;
  // Several mutations would each lock their spaces by themselves, in no order among each other: those that the request names are
  // locked first. One that it does not name can meet a deadlock, after which all is done again.
  const spaces = writes > 1 ? await spacesTouched({ ...viewer, signal }, idsIn(JSON.stringify(parts))) : [];
  // A response to one that reaches other spaces is not this one's.
  const fingerprint = await fingerprintOf([...parts, ...(viewer.credential.spaceIds ?? [])]);
  const stored = await runIdempotent({ id, signal }, { key, fingerprint, spaces }, async () => {
    const own: Context = { ...context, maxResponseBytes: maxStoredBytes };
    // It has waited for its turn, and may be done again.
    await refreshViewer(own);
    const body = await run(own);
    const kib = Math.ceil(body.length / 1024) - freeStoredKib;
    if (kib > 0) context.services.storedResponses.take(id, kib);
    return body;
  });
  // That has waited as well: a session that has ended meanwhile gets no response.
  if (stored.isReplayed) await refreshViewer(context);
  return stored;
}

/** Names the operation of the history that a request was. @param operationId not a text where it changed nothing */
export function setOperationId(response: Response, operationId: unknown): void {
  if (typeof operationId === 'string') response.setHeader('X-Operation-Id', operationId);
}

/** A result with errors: under a key its operation is rolled back. */
export class FailedOperation extends Error {
  readonly result: ExecutionResult;

  constructor(result: ExecutionResult) {
    super('the operation has failed');
    this.result = result;
  }
}

type CheckedArgs = ExecutionArgs & Pick<CheckedOperation, 'writes'>;

/** A checked mutation under its key. @throws FORBIDDEN where its caller may not do it: nothing is replayed then either */
export function keyedMutation(args: CheckedArgs, key: string): KeyedOperation {
  const { document, operationName, variableValues, writes } = args;
  requireRightsFor(args, (args.contextValue as Context).viewer);
  return { key, parts: ['graphql', print(document), operationName ?? null, variableValues], writes };
}

/**
 * What executes a checked operation. All fields of a keyed mutation are one: where anything of it fails, nothing has happened, and
 * there is no data.
 * @throws FailedOperation
 */
export const resultBytes =
  (args: ExecutionArgs) =>
  async (own: Context): Promise<Buffer> => {
    const result = await run({ ...args, contextValue: own });
    if (!result.errors) return bytesOf(result);
    // Under a key `own` is a copy (`runOnce`): all is rolled back, so neither data nor operations may be shown.
    const isRolledBack = own !== args.contextValue && 'data' in result;
    throw new FailedOperation(isRolledBack ? { ...result, data: null, extensions: undefined } : result);
  };

/**
 * Executes a checked operation, under its key if it has one; a replayed result says so in its extensions.
 * @throws IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED; UNAVAILABLE
 */
export async function runUnderKey(
  args: CheckedArgs,
  key: string | undefined,
  hasWaited = false,
): Promise<ExecutionResult> {
  if (key === undefined) return run(args, hasWaited);
  try {
    const keyed = keyedMutation(args, key);
    const { body, isReplayed } = await runOnce(args.contextValue as Context, keyed, resultBytes(args));
    const result = JSON.parse(body.toString('utf8')) as ExecutionResult;
    return isReplayed ? { ...result, extensions: { ...result.extensions, idempotencyReplayed: true } } : result;
  } catch (error) {
    if (error instanceof FailedOperation) return error.result;
    throw error;
  }
}

/** SHA-256 of values of JSON, and of files with what they hold. */
async function fingerprintOf(parts: readonly unknown[]): Promise<Buffer> {
  const files: File[] = [];
  const text = JSON.stringify(parts, (_name, value: unknown) =>
    value instanceof File ? { file: files.push(value), name: value.name, type: value.type, size: value.size } : value,
  );
  const hash = createHash('sha256').update(text);
  for (const file of files) hash.update(new Uint8Array(await file.arrayBuffer()));
  return hash.digest();
}
