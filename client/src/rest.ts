import type { Http, RequestOptions } from './http.ts';
import type { operations, paths } from './openapi.ts';
import { restOperations } from './operations.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
type Method = (typeof methods)[number];

export type RestPath<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, { responses: unknown }> ? Path : never;
}[keyof paths];

type Operation<Path extends RestPath<M>, M extends Method> = paths[Path][M & keyof paths[Path]];

type Parameters<Op> = Op extends { parameters: infer P } ? P : never;

/** Required if any parameter is. */
type Option<Name extends string, Values> = [Values] extends [undefined]
  ? unknown
  : object extends Values
    ? { readonly [Key in Name]?: Values }
    : { readonly [Key in Name]: Values };

type Body<Op> = Op extends { requestBody: { content: infer Content } }
  ? { readonly body: Content extends { 'application/json': infer Json } ? Json : FormData }
  : unknown;

type Options<Op> = RequestOptions &
  Option<'params', Exclude<Parameters<Op>['path' & keyof Parameters<Op>], undefined>> &
  Option<'query', Exclude<Parameters<Op>['query' & keyof Parameters<Op>], undefined>> &
  Body<Op>;

/** `params` of the path, `query` and `body`, as in the OpenAPI document. */
export type RestOptions<Path extends RestPath<M>, M extends Method> = Options<Operation<Path, M>>;

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : undefined;

type ResponseOf<Op> = Op extends { responses: infer Responses }
  ? Json<Responses[(200 | 201) & keyof Responses]>
  : never;

export type RestResponse<Path extends RestPath<M>, M extends Method> = ResponseOf<Operation<Path, M>>;

/** Optional if nothing is required. */
type Arguments<Op> = object extends Options<Op> ? [options?: Options<Op>] : [options: Options<Op>];

type Call<M extends Method> = <Path extends RestPath<M>>(
  path: Path,
  ...options: Arguments<Operation<Path, M>>
) => Promise<RestResponse<Path, M>>;

/**
 * The REST API. It has a function for each operation, `rest.listTasks({ query: { completed: false } })`, and for each method,
 * `rest.get('/api/v2/todo', { query: { completed: false } })`. Requests reject with a `TaskgateError`, or with the reason of their signal.
 */
export type Rest = { readonly [M in Method]: Call<M> } & {
  readonly [Id in keyof typeof restOperations]: (
    ...options: Arguments<operations[Id]>
  ) => Promise<ResponseOf<operations[Id]>>;
};

interface AnyOptions extends RequestOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A parameter as a path segment. @throws TypeError if it would lead to another path */
function segmentOf(name: string, value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new TypeError(`params.${name} is no id: ${JSON.stringify(value)}`);
  return encodeURIComponent(value);
}

export function createRest(http: Http, defaultAccount?: string): Rest {
  const call =
    (method: string) =>
    async (path: string, options: AnyOptions = {}): Promise<unknown> => {
      const { params = {}, query = {}, account = defaultAccount, ...request } = options;
      const pathname = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => segmentOf(name, params[name] ?? ''));
      const entries = Object.entries(query).filter(([, value]) => value !== undefined);
      // Comma-separated, as `explode: false` requires.
      const queryString = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
      const isSafe = method === 'get';
      const target = queryString === '' ? pathname : `${pathname}?${queryString}`;
      const headers = { ...(account !== undefined && { 'X-Account-Id': account }), ...request.headers };
      return (await http.send({ ...request, headers, method: method.toUpperCase(), path: target, isSafe })).body;
    };
  const operationCalls = Object.entries(restOperations).map(([id, operation]) => {
    const [method = '', path = ''] = operation.split(' ');
    return [id, (options?: AnyOptions) => call(method)(path, options)];
  });
  return Object.fromEntries([...methods.map((method) => [method, call(method)]), ...operationCalls]) as Rest;
}
