import type { Answer, Client } from '../kit/client.ts';

export type Request =
  { kind: 'rest'; method: string; path: string; body?: object } | { kind: 'graphql'; query: string; variables: object };

export const rest = (method: string, path: string, body?: object): Request => ({
  kind: 'rest',
  method,
  path,
  ...(body && { body }),
});

/**
 * A mutation of one field, with its variables as arguments.
 * @param types of the variables, such as `$id: ID!`
 */
export const graphql = (field: string, types = '', variables: object = {}, selection = ''): Request => {
  if (types === '') return { kind: 'graphql', query: `mutation { ${field} }`, variables };
  const names = Object.keys(variables);
  return {
    kind: 'graphql',
    query: `mutation (${types}) { ${field}(${names.map((name) => `${name}: $${name}`).join(', ')})${selection} }`,
    variables,
  };
};

/** Timeout in milliseconds. Faults are answered within five seconds. */
const maxAnswerMs = 20_000;

/** @throws if there is no response, a `TimeoutError` if it is late */
export function sendRequest<Body>(
  client: Client,
  request: Request,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> {
  const signal = AbortSignal.timeout(maxAnswerMs);
  if (request.kind === 'rest') {
    return client.send<Body>(request.method, request.path, request.body, { headers, signal });
  }
  const { query, variables } = request;
  return client.send<Body>('POST', '/graphql', { query, variables }, { headers, signal });
}
