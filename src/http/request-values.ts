import type { Request } from 'express';
import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import { invalid } from '@taskgate/base';
import type { CheckedOperation } from '@taskgate/execution';
import { storedPart } from '../graphql/stored-responses.ts';
import type { Context } from '../platform/context.ts';
import { claimLost } from '../platform/errors.ts';
import { idempotencyKeyRule, isFence, isIdempotencyKey } from '../platform/ids.ts';

/** A value of a request: in headers, and in the extensions of a GraphQL request. */
export interface ValueSource {
  /** Unparsed values. */
  headers?: readonly string[] | undefined;
  extensions?: unknown;
}

interface Form {
  header: string;
  extension: string;
  noun: string;
  isValid: (text: string) => boolean;
  rule: string;
}

/** See draft-ietf-httpapi-idempotency-key-header. */
const key: Form = {
  header: 'Idempotency-Key',
  extension: 'idempotencyKey',
  noun: 'key',
  isValid: isIdempotencyKey,
  rule: idempotencyKeyRule,
};

const fence: Form = {
  header: 'X-Claim-Fence',
  extension: 'fence',
  noun: 'fence',
  isValid: isFence,
  rule: 'must be the fence of a claim, a text of up to 18 digits',
};

function valueOf({ headers = [], extensions }: ValueSource, form: Form) {
  const { [form.extension]: extension = null } = (extensions ?? {}) as Record<string, unknown>;
  const candidates = [
    ...headers.map((value) => ({ path: form.header, value })),
    ...(extension === null ? [] : [{ path: `extensions.${form.extension}`, value: extension }]),
  ];
  let chosen: { path: string; value: string } | undefined;
  for (const { path, value } of candidates) {
    if (typeof value !== 'string' || !form.isValid(value)) throw invalid(path, form.rule);
    if (chosen && value !== chosen.value)
      throw invalid(path, `must be the same ${form.noun} in all headers and extensions`);
    chosen = { path, value };
  }
  return chosen;
}

export const headersOfKey = ({ headersDistinct }: Request): readonly string[] | undefined =>
  headersDistinct['idempotency-key'];

/** @throws VALIDATION_FAILED for a malformed key, or for different keys */
export const idempotencyKeyOf = (source: ValueSource): string | undefined => valueOf(source, key)?.value;

export const headersOfFence = ({ headersDistinct }: Request): readonly string[] | undefined =>
  headersDistinct['x-claim-fence'];

/**
 * @param isStored whether the mutation takes idempotency keys. Others do not all check claims, so they refuse a fence
 * @throws VALIDATION_FAILED also for a malformed fence, or for different ones
 */
export function fenceOf(source: ValueSource, isStored: boolean): string | undefined {
  const found = valueOf(source, fence);
  if (found && !isStored) throw invalid(found.path, 'must not be given for sessions, passwords and secrets');
  return found?.value;
}

/** As {@link fenceOf}. Undefined for reads. */
export function fenceOfOperation(
  schema: GraphQLSchema,
  { document, operation }: CheckedOperation,
  source: ValueSource,
): string | undefined {
  if (operation.operation !== OperationTypeNode.MUTATION || (!source.headers && !source.extensions)) return undefined;
  return fenceOf(source, storedPart(schema, document, operation) === 'all');
}

/**
 * Makes the writes of a mutation depend on the claim that its request names, if any: see {@link write}.
 * @throws CLAIM_LOST for anonymous callers
 */
export function applyFence(context: Context, value: string | undefined): void {
  if (value === undefined) return;
  if (!context.viewer) throw claimLost();
  context.viewer = { ...context.viewer, fence: value };
}
