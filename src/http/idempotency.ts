import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { type ExecutionResult, type GraphQLSchema, print } from 'graphql';
import { invalid } from '@taskgate/base';
import {
  type BoundArgs,
  type CheckedOperation,
  type Executor,
  jsonBytes,
  pauseOf,
  refreshViewer,
} from '@taskgate/execution';
import { RateLimit, type RateLimitStore } from '@taskgate/limits';
import { findSpacesToLock } from '../platform/write.ts';
import { runIdempotent, type StoredResponse } from '../platform/idempotency.ts';
import { storedPart, unstorableField } from '../graphql/stored-responses.ts';
import { requireRightsFor } from '../graphql/rights.ts';
import { type Context, signedIn } from '../platform/context.ts';
import { idsIn } from '../platform/ids.ts';
import { fixedPolicies, freeStoredKib } from '../platform/rate-limit-policies.ts';
import { idempotencyKeyOf, type ValueSource } from './request-values.ts';

const maxStoredBytes = 1024 * 1024;

declare module '../platform/services.ts' {
  interface Services {
    /** KiB of an account. A short mutation can have a long response. */
    storedResponses: RateLimit;
  }
}

/** @param store undefined: there is no limit */
export const storedResponsesLimit = (store: RateLimitStore | undefined) =>
  new RateLimit({
    policy: fixedPolicies.storedResponses,
    store,
    message: 'The responses stored under idempotency keys are too large: select fewer fields',
  });

/**
 * Undefined for reads, and for mutations whose responses are never stored.
 * @throws VALIDATION_FAILED also if such mutations are combined with others, or the response must not be stored
 */
export function keyOfOperation(
  schema: GraphQLSchema,
  { document, operation }: CheckedOperation,
  source: ValueSource,
): string | undefined {
  if (!source.headers && !source.extensions) return undefined;
  const stored = storedPart(schema, document, operation);
  if (stored === 'none') return undefined;
  const key = idempotencyKeyOf(source);
  if (key === undefined) return undefined;
  if (stored === 'some') {
    throw invalid('query', 'must not combine mutations of sessions and passwords with others under an idempotency key');
  }
  const field = unstorableField(schema, document, operation);
  if (field) throw invalid('query', `must not select ${field} under an idempotency key: read it by a query`);
  return key;
}

export interface KeyedOperation {
  /** Null: one transaction, whose response is not stored. */
  key: string | null;
  /** Parts of the fingerprint: JSON values and files. */
  parts: readonly unknown[];
  writes: number;
}

/**
 * Runs an operation once for its key, in the transaction of its effect: see `platform/idempotency.ts`.
 * @param run receives a copy of the context
 * @throws errors of `run`, after a rollback; UNAUTHENTICATED; RATE_LIMITED
 */
export async function runOnce(
  context: Context,
  { key, parts, writes }: KeyedOperation,
  run: (own: Context) => Promise<Buffer>,
): Promise<StoredResponse> {
  const viewer = signedIn(context);
  const { id } = viewer;
  const { signal } = context.cancellation;
  // Several mutations lock their spaces in no common order, so the named ones are locked first. Other deadlocks are
  // retried.
  const spaces = writes > 1 ? await findSpacesToLock({ ...viewer, signal }, idsIn(JSON.stringify(parts))) : [];
  // A credential for other spaces must not receive this response.
  const fingerprint = await fingerprintOf([...parts, ...(viewer.credential.spaceIds ?? [])]);
  const stored = await runIdempotent(viewer.connections, { id, signal }, { key, fingerprint, spaces }, async () => {
    const own: Context = { ...context, maxResponseBytes: maxStoredBytes };
    // The operation may have waited or be a retry.
    await refreshViewer(own);
    const body = await run(own);
    const kib = Math.ceil(body.length / 1024) - freeStoredKib;
    if (kib > 0) context.services.storedResponses.take(id, kib);
    return body;
  });
  // The session may have ended.
  if (stored.isReplayed) await refreshViewer(context);
  return stored;
}

export function setOperationId(response: Response, operationId: unknown): void {
  if (typeof operationId === 'string') response.setHeader('X-Operation-Id', operationId);
}

export class FailedOperation extends Error {
  readonly result: ExecutionResult;

  constructor(result: ExecutionResult) {
    super('the operation failed');
    this.result = result;
  }
}

type KeyedArgs = BoundArgs<Context> & Pick<CheckedOperation, 'writes'>;

/** @throws FORBIDDEN if the caller lacks the rights, also for a replay */
export function keyedMutation({ schema }: Executor<Context>, args: KeyedArgs, key: string): KeyedOperation {
  const { document, operationName, variableValues, writes, contextValue } = args;
  requireRightsFor({ schema, ...args }, contextValue.viewer);
  return { key, parts: ['graphql', print(document), operationName ?? null, variableValues], writes };
}

/** A keyed mutation is atomic: if any field fails, `data` is null. @throws FailedOperation */
export const resultBytes =
  (executor: Executor<Context>, args: BoundArgs<Context>) =>
  async (own: Context): Promise<Buffer> => {
    const result = await executor.execute({ ...args, contextValue: own });
    if (!result.errors) return jsonBytes(result, pauseOf(own));
    // Under a key everything is rolled back: neither data nor operation ids may be sent.
    const isRolledBack = own !== args.contextValue && 'data' in result;
    throw new FailedOperation(isRolledBack ? { ...result, data: null, extensions: undefined } : result);
  };

/**
 * The extensions mark a replayed result.
 * @throws IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED; UNAVAILABLE
 */
export async function runUnderKey(
  executor: Executor<Context>,
  args: KeyedArgs,
  key: string | undefined,
): Promise<ExecutionResult> {
  const { contextValue: context } = args;
  if (key === undefined) return executor.execute(args);
  try {
    const { body, isReplayed } = await runOnce(
      context,
      keyedMutation(executor, args, key),
      resultBytes(executor, args),
    );
    const result = JSON.parse(body.toString('utf8')) as ExecutionResult;
    return isReplayed ? { ...result, extensions: { ...result.extensions, idempotencyReplayed: true } } : result;
  } catch (error) {
    if (error instanceof FailedOperation) return error.result;
    throw error;
  }
}

async function fingerprintOf(parts: readonly unknown[]): Promise<Buffer> {
  const files: File[] = [];
  const text = JSON.stringify(parts, (_name, value: unknown) =>
    value instanceof File ? { file: files.push(value), name: value.name, type: value.type, size: value.size } : value,
  );
  const hash = createHash('sha256').update(text);
  for (const file of files) hash.update(new Uint8Array(await file.arrayBuffer()));
  return hash.digest();
}
