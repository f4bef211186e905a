import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { type ExecutionArgs, type ExecutionResult, print } from 'graphql';
import { spacesTouched } from '../database/write.ts';
import { type GivenResponse, type StoredResponse, runIdempotent } from '../database/idempotency.ts';
import { isKept } from '../graphql/stored-responses.ts';
import type { CheckedOperation } from '../graphql/check-operation.ts';
import { run } from '../graphql/execute.ts';
import { requireRightsFor } from '../graphql/rights.ts';
import { type Context, refreshViewer, signedIn } from '../kernel/context.ts';
import { invalid } from '../kernel/errors.ts';
import { idsIn, isIdempotencyKey } from '../kernel/ids.ts';
import { fixedPolicies, freeKeptKib } from '../kernel/rate-limit-policies.ts';
import type { RateLimitStore } from '../rate-limits/rate-limit-store.ts';
import { RateLimit } from '../rate-limits/rate-limits.ts';
import { json } from './media-types.ts';
import { bytesOf, sendFinished } from './response-cache.ts';

/** Bytes that an answer may have that is kept: a database is no place for large ones. */
const maxKeptBytes = 1024 * 1024;

declare module '../kernel/services.ts' {
  interface Services {
    /** KiB that are kept for an account: a short mutation can ask for a long answer, which stays for a day. */
    storedResponses: RateLimit;
  }
}

/** @param store undefined: as much is kept as is asked for */
export const storedResponsesLimit = (store: RateLimitStore | undefined) =>
  new RateLimit({
    policy: fixedPolicies.storedResponses,
    store,
    message: 'Too large answers are to be kept under idempotency keys: ask for fewer fields',
  });

/** Where a request may have an idempotency key; GraphQL's has two places for the same one. */
export interface KeySource {
  /** The values of its `Idempotency-Key` headers (draft-ietf-httpapi-idempotency-key-header), taken as they are. */
  headers?: readonly string[] | undefined;
  /** GraphQL's own, with `idempotencyKey`. */
  extensions?: unknown;
}

/** What a request has under {@link KeySource.headers}. */
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
 * The key of an operation of GraphQL's. Reads have none, whatever stands there, and mutations whose answers are never kept.
 * @throws VALIDATION_FAILED, also where such mutations are to be done together with others under a key
 */
export function keyOfOperation(
  schema: ExecutionArgs['schema'],
  { document, operation }: CheckedOperation,
  source: KeySource,
): string | undefined {
  if (!source.headers && !source.extensions) return undefined;
  const kept = isKept(schema, document, operation);
  if (kept === 'never') return undefined;
  const key = idempotencyKeyOf(source);
  if (key !== undefined && kept === 'in part') {
    throw invalid('query', 'must not have mutations of sessions and passwords beside others under an idempotency key');
  }
  return key;
}

/** What is asked for under a key. */
interface AskedOnce {
  key: string;
  /** What makes it another request: values of JSON, and files. */
  parts: readonly unknown[];
  /** How many mutations it has. */
  writes: number;
}

/**
 * Answers a request once for its key, in one transaction with its effect: see `once` of database/idempotency.ts.
 * @param answer does what is asked for, with a context of its own
 * @throws what it throws: nothing has happened then; UNAUTHENTICATED where the session has ended meanwhile; RATE_LIMITED where too
 *   much is kept for the account
 */
export async function answerOnce(
  context: Context,
  { key, parts, writes }: AskedOnce,
  answer: (own: Context) => Promise<StoredResponse>,
): Promise<GivenResponse> {
  const viewer = signedIn(context);
  const { id } = viewer;
  const { signal } = context.cancellation;
  // Several mutations would each lock their spaces by themselves, in no order among each other: those that the request names are
  // locked first. One that it does not name can meet a deadlock, after which all is done again.
  const spaces = writes > 1 ? await spacesTouched({ ...viewer, signal }, idsIn(JSON.stringify(parts))) : [];
  // An answer to one that reaches other spaces is not this one's.
  const fingerprint = await fingerprintOf([...parts, ...(viewer.credential.spaceIds ?? [])]);
  const given = await runIdempotent({ id, signal }, { key, fingerprint, spaces }, async () => {
    const own: Context = { ...context, maxAnswerBytes: maxKeptBytes };
    // It has waited for its turn, and may be done again.
    await refreshViewer(own);
    const kept = await answer(own);
    const kib = Math.ceil(kept.body.length / 1024) - freeKeptKib;
    if (kib > 0) context.services.storedResponses.take(id, kib);
    return kept;
  });
  // That has waited as well: the session may have ended, and what was kept is told to nobody then.
  if (given.isReplayed) await refreshViewer(context);
  return given;
}

/** Sends an answer of {@link answerOnce}. */
export function sendOnce(
  response: Response,
  { status, contentType, body, isReplayed, operationId }: GivenResponse,
): void {
  sayReplayed(response, isReplayed);
  sayOperation(response, operationId);
  sendFinished(response.status(status), { type: contentType, body });
}

/** Tells a client where its answer is one that was given before. */
export function sayReplayed(response: Response, isReplayed: boolean): void {
  if (isReplayed) response.setHeader('Idempotency-Replayed', 'true');
}

/** Tells a client which operation of the history its request was. @param operationId undefined where it changed nothing */
export function sayOperation(response: Response, operationId: unknown): void {
  if (typeof operationId === 'string') response.setHeader('X-Operation-Id', operationId);
}

/** A result with errors: its operation is rolled back. */
class FailedOperation extends Error {
  readonly result: ExecutionResult;

  constructor(result: ExecutionResult) {
    super('the operation has failed');
    this.result = result;
  }
}

/**
 * Executes a checked mutation once for its key. All of its fields are one mutation: where anything of it fails, nothing has
 * happened, and there is no data.
 * @throws IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED; UNAVAILABLE
 */
export async function runOnce(
  args: ExecutionArgs & Pick<CheckedOperation, 'writes'>,
  key: string,
): Promise<Pick<GivenResponse, 'isReplayed'> & { result: ExecutionResult }> {
  const { document, operationName, variableValues, writes } = args;
  const parts = ['graphql', print(document), operationName ?? null, variableValues];
  // What was answered before is not executed again.
  requireRightsFor(args, (args.contextValue as Context).viewer);
  try {
    const { body, isReplayed } = await answerOnce(args.contextValue as Context, { key, parts, writes }, async (own) => {
      const result = await run({ ...args, contextValue: own });
      if (result.errors) throw new FailedOperation(result);
      return { status: 200, contentType: json, body: bytesOf(result) };
    });
    return { result: JSON.parse(body.toString('utf8')) as ExecutionResult, isReplayed };
  } catch (error) {
    if (!(error instanceof FailedOperation)) throw error;
    const { result } = error;
    return { result: 'data' in result ? { ...result, data: null } : result, isReplayed: false };
  }
}

/**
 * Executes a checked operation, under its key if it has one; what was given before says so in its extensions.
 * @throws as {@link runOnce}
 */
export async function runUnderKey(
  args: ExecutionArgs & Pick<CheckedOperation, 'writes'>,
  key: string | undefined,
  hasWaited = false,
): Promise<ExecutionResult> {
  if (key === undefined) return run(args, hasWaited);
  const { result, isReplayed } = await runOnce(args, key);
  return isReplayed ? { ...result, extensions: { ...result.extensions, idempotencyReplayed: true } } : result;
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
