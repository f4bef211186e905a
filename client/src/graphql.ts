import type { DocumentNode } from 'graphql';
import { fromGraphql, type GraphqlErrorBody, TaskgateError } from './errors.ts';
import type { Http, RequestOptions } from './http.ts';
import { print } from './print.ts';

/**
 * A document that knows the types of its result and its variables: a `TypedDocumentNode`, as gql.tada and GraphQL Code
 * Generator make them.
 */
export interface TypedDocument<Result, Variables> {
  readonly kind: string;
  readonly definitions: readonly object[];
  /** Never there: it carries the types. */
  readonly __apiType?: ((variables: Variables) => Result) | undefined;
}

/** An operation as its text, or as a document with its types. */
export type Document<Result, Variables> = string | TypedDocument<Result, Variables>;

/** Any of them, whatever its types are. */
type AnyDocument = Document<unknown, never>;

/** The text of an operation. */
export const textOf = (document: AnyDocument): string =>
  typeof document === 'string' ? document : print(document as unknown as DocumentNode);

/** An answer, or an event of a subscription. */
export interface GraphqlResult {
  readonly data?: unknown;
  readonly errors?: readonly GraphqlErrorBody[];
}

/** Whether an operation changes nothing. A document that has the word anywhere counts as a mutation: it is not repeated without a key. */
const isQuery = (query: string) => !/\bmutation\b/.test(query);

/** @returns the data @throws {@link TaskgateError} where there is any error, with the code of the first one */
export function dataOf(result: GraphqlResult, status?: number): unknown {
  if (result.errors || result.data == null) throw fromGraphql(result.errors ?? [], status);
  return result.data;
}

const accept = { Accept: 'application/graphql-response+json' };

const notGraphql = (status: number) =>
  new TaskgateError({ code: 'UNEXPECTED_RESPONSE', message: 'The answer is not of GraphQL', status });

/** Runs an operation over HTTP. @throws {@link TaskgateError}; the reason of the signal */
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
  if (typeof body !== 'object' || body === null) throw notGraphql(status);
  return dataOf(body, status);
}

/** An operation of several in one request. */
export interface BatchOperation {
  readonly document: AnyDocument;
  readonly variables?: unknown;
  /** As that of `RequestOptions`. */
  readonly idempotencyKey?: string;
}

/** Runs several operations in one request. @returns what has become of each @throws as {@link runOperation}, of the request */
export async function runBatch(
  http: Http,
  operations: readonly BatchOperation[],
  { account, ...options }: BatchOptions = {},
): Promise<PromiseSettledResult<unknown>[]> {
  const list = operations.map(({ document, variables, idempotencyKey }) => ({
    query: textOf(document),
    variables,
    extensions: { idempotencyKey, account },
  }));
  const isSafe = list.every(({ query, extensions }) => extensions.idempotencyKey !== undefined || isQuery(query));
  const { body, status } = await http.send({
    ...options,
    method: 'POST',
    path: '/graphql',
    body: list,
    headers: accept,
    isSafe,
  });
  if (!Array.isArray(body) || body.length !== list.length) throw notGraphql(status);
  const results = body as GraphqlResult[];
  return Promise.allSettled(results.map((result) => Promise.resolve(result).then((given) => dataOf(given))));
}

/** Of a request with several operations. */
export type BatchOptions = Pick<RequestOptions, 'signal' | 'maxAttempts' | 'account'>;
