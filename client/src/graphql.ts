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

/** Runs an operation over HTTP. @throws {@link TaskgateError}; the reason of the signal */
export async function runOperation(
  http: Http,
  document: AnyDocument,
  variables: unknown,
  { headers, ...options }: RequestOptions = {},
): Promise<unknown> {
  const query = textOf(document);
  const { body, status } = await http.send({
    ...options,
    method: 'POST',
    path: '/graphql',
    body: { query, variables },
    headers: { Accept: 'application/graphql-response+json', ...headers },
    isSafe: isQuery(query),
  });
  if (typeof body !== 'object' || body === null) {
    throw new TaskgateError({ code: 'UNEXPECTED_ANSWER', message: 'The answer is not of GraphQL', status });
  }
  return dataOf(body, status);
}
