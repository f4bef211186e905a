import type { Request } from 'express';
import { invalid, unauthenticated } from '@taskgate/base';
import {
  checkJson,
  fileOf,
  form,
  formParser,
  graphqlRequestTypes,
  jsonParser,
  maxJsonBytes,
  type ReceiveBody,
} from '@taskgate/http';
import type { OperationRequest } from './check-operation.ts';

const maxOperations = 50;

const jsonBody = jsonParser(graphqlRequestTypes);

export const isForm = (request: Request): boolean => Boolean(request.is(form));

/**
 * A query string, JSON (an array for a batch) or a form (graphql-multipart-request-spec). Undefined for other methods
 * and types.
 * @throws VALIDATION_FAILED, UNAVAILABLE, parser errors; UNAUTHENTICATED for a form without a session, before it is
 *   read
 */
export type ReadOperation = (
  request: Request,
  options: { receive: ReceiveBody; hasSession: boolean },
) => Promise<OperationRequest | readonly unknown[] | undefined>;

export function operationReader(maxFileBytes: number): ReadOperation {
  const formBody = formParser({ fileSize: maxFileBytes, fields: 2, fieldSize: maxJsonBytes, fieldNestingDepth: 0 });
  return async (request, { receive, hasSession }) => {
    if (request.method === 'GET') return readQuery(request.query);
    if (request.method !== 'POST') return undefined;
    if (request.is(graphqlRequestTypes)) {
      await receive(jsonBody);
      const body = request.body as unknown;
      return Array.isArray(body) ? checkLength(body) : asObject(body, 'body');
    }
    if (!isForm(request)) return undefined;
    if (!hasSession) throw unauthenticated();
    await receive(formBody);
    return readMultipart(request);
  };
}

function readQuery(parameters: Request['query']): OperationRequest {
  const text = (name: string) => [parameters[name]].flat()[0] as string | undefined;
  const json = (name: string) => {
    const value = text(name);
    return value ? parseJson(value, name) : undefined;
  };
  return {
    query: text('query'),
    operationName: text('operationName'),
    variables: json('variables'),
    extensions: json('extensions'),
  };
}

function readMultipart(request: Request): OperationRequest {
  const fields = (request.body ?? {}) as Record<string, unknown>;
  const parameters = asObject(parseJson(fields['operations'], 'operations'), 'operations');
  const map = asObject(parseJson(fields['map'] ?? '{}', 'map'), 'map');
  const files = (request.files ?? []) as Express.Multer.File[];
  for (const [name, paths] of Object.entries(map)) {
    const file = files.find(({ fieldname }) => fieldname === name);
    if (!file) throw invalid(`map.${name}`, 'must name a file of the form');
    if (!Array.isArray(paths)) throw invalid(`map.${name}`, 'must be a list of paths');
    for (const path of paths as unknown[]) place(parameters, path, fileOf(file), `map.${name}`);
  }
  return parameters;
}

/** Replaces the `null` that the specification requires. */
function place(parameters: OperationRequest, path: unknown, upload: File, at: string): void {
  const keys = typeof path === 'string' && path.startsWith('variables.') ? path.split('.') : [];
  const last = keys.pop() ?? '';
  let target: unknown = parameters;
  for (const key of keys) target = isObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  if (!isObject(target) || !Object.hasOwn(target, last) || target[last] !== null) {
    throw invalid(at, 'must hold paths of variables that are null, such as variables.image');
  }
  target[last] = upload;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function asObject(value: unknown, path: string): Record<string, unknown> {
  if (!isObject(value) || Array.isArray(value)) throw invalid(path, 'must be an object');
  return value;
}

function checkLength(operations: readonly unknown[]): readonly unknown[] {
  if (operations.length > 0 && operations.length <= maxOperations) return operations;
  throw invalid('body', `must have 1 to ${maxOperations} operations`);
}

function parseJson(value: unknown, path: string): unknown {
  const text = String(value);
  checkJson(Buffer.from(text), path);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid(path, 'must be well-formed JSON');
  }
}
