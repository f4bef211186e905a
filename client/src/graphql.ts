import type { DocumentNode } from 'graphql';
import { fromGraphql, type GraphqlErrorBody, TaskgateError } from './errors.ts';
import type { Http, RequestOptions } from './http.ts';
import { print } from './print.ts';

/** A `TypedDocumentNode`, as gql.tada and GraphQL Code Generator create it. */
export interface TypedDocument<Result, Variables> {
  readonly kind: string;
  readonly definitions: readonly object[];
  /** Type information only. */
  readonly __apiType?: ((variables: Variables) => Result) | undefined;
}

/** The text of an operation, or a typed document. */
export type Document<Result, Variables> = string | TypedDocument<Result, Variables>;

type AnyDocument = Document<unknown, never>;

export const textOf = (document: AnyDocument): string =>
  typeof document === 'string' ? document : print(document as unknown as DocumentNode);

export interface GraphqlResult {
  readonly data?: unknown;
  readonly errors?: readonly GraphqlErrorBody[];
}

/** Documents that contain "mutation" count as mutations, which are not retried without a key. */
const isQuery = (query: string) => !/\bmutation\b/.test(query);

/** @throws {@link TaskgateError} with the code of the first error */
export function dataOf(result: GraphqlResult, status?: number): unknown {
  if (result.errors || result.data == null) throw fromGraphql(result.errors ?? [], status);
  return result.data;
}

const accept = { Accept: 'application/graphql-response+json' };

const invalidResponse = (status: number) =>
  new TaskgateError({ code: 'UNEXPECTED_RESPONSE', message: 'The response is not a GraphQL response', status });

/** @throws {@link TaskgateError}; the reason of the signal */
export async function runOperation(
  http: Http,
  document: AnyDocument,
  variables: unknown,
  { headers, account, ...options }: RequestOptions = {},
): Promise<unknown> {
  const query = textOf(document);
  const { body, status } = await http.send({
    ...options,
    method: 'POST',
    path: '/graphql',
    body: { query, variables, extensions: { account } },
    headers: { ...accept, ...headers },
    isSafe: isQuery(query),
  });
  if (typeof body !== 'object' || body === null) throw invalidResponse(status);
  return dataOf(body, status);
}

export interface BatchOperation {
  readonly document: AnyDocument;
  readonly variables?: unknown;
  /** As in `RequestOptions`. */
  readonly idempotencyKey?: string;
}

/**
 * @returns a result for each
 * @throws {@link TaskgateError} if the request fails; the reason of the signal
 */
export async function runBatch(
  http: Http,
  operations: readonly BatchOperation[],
  { account, ...options }: BatchOptions = {},
): Promise<PromiseSettledResult<unknown>[]> {
  const requests = operations.map(({ document, variables, idempotencyKey }) => ({
    query: textOf(document),
    variables,
    extensions: { idempotencyKey, account },
  }));
  const isSafe = requests.every(({ query, extensions }) => extensions.idempotencyKey !== undefined || isQuery(query));
  const { body, status } = await http.send({
    ...options,
    method: 'POST',
    path: '/graphql',
    body: requests,
    headers: accept,
    isSafe,
  });
  if (!Array.isArray(body) || body.length !== requests.length) throw invalidResponse(status);
  const results = body as GraphqlResult[];
  return Promise.allSettled(results.map((result) => Promise.resolve(result).then((response) => dataOf(response))));
}

export type BatchOptions = Pick<RequestOptions, 'signal' | 'maxAttempts' | 'account'>;
