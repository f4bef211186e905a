import { randomUUID } from 'node:crypto';
import type { Answer, Client, GraphqlAnswer, RequestOptions } from '../kit/client.ts';
import type { Service } from '../kit/service.ts';
import { User } from '../kit/users.ts';

export const newKey = (): string => randomUUID();

export const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

/** Sends each request under a key of its own. */
export class KeyedUser extends User {
  override send<Body>(method: string, path: string, body?: unknown, { headers, ...options }: RequestOptions = {}) {
    return super.send<Body>(method, path, body, { ...options, headers: { ...headers, ...withKey(newKey()).headers } });
  }
}

/** Runs an operation over HTTP with a key, by default in the header. */
export const mutate = <Data>(
  user: Client,
  query: string,
  { key, extension, variables }: { key?: string; extension?: unknown; variables?: object },
): Promise<Answer<GraphqlAnswer<Data>>> =>
  user.post(
    '/graphql',
    { query, variables, ...(extension !== undefined && { extensions: { idempotencyKey: extension } }) },
    key === undefined ? {} : withKey(key),
  );

export const told = ({ status, headers, body }: Answer<unknown>) => ({
  status,
  type: headers.get('content-type'),
  length: headers.get('content-length'),
  text: JSON.stringify(body),
});

export const isReplayed = ({ headers }: Answer<unknown>): boolean => headers.get('idempotency-replayed') === 'true';

export const keysOf = async (service: Service, { id }: User): Promise<string[]> => {
  const statement = 'SELECT key FROM idempotency_keys WHERE user_id = $1 ORDER BY revision';
  return (await service.sql<{ key: string }>(statement, [id])).map(({ key }) => key);
};

export const titlesOf = async (service: Service, { id }: User): Promise<string[]> => {
  const statement = 'SELECT title FROM tasks WHERE space_id = $1 ORDER BY created_at, id';
  return (await service.sql<{ title: string }>(statement, [id])).map(({ title }) => title);
};
