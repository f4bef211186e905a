import type { Http, RequestOptions } from './http.ts';
import type { operations, paths } from './openapi.ts';
import { restOperations } from './operations.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
type Method = (typeof methods)[number];

/** Paths of the OpenAPI document that have the method. */
export type RestPath<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, { responses: unknown }> ? Path : never;
}[keyof paths];

type Operation<Path extends RestPath<M>, M extends Method> = paths[Path][M & keyof paths[Path]];

type Parameters<Op> = Op extends { parameters: infer Given } ? Given : never;

/** Parameters of a place, by their names: required where one of them is. */
type Given<Name extends string, Values> = [Values] extends [undefined]
  ? unknown
  : object extends Values
    ? { readonly [Key in Name]?: Values }
    : { readonly [Key in Name]: Values };

type Body<Op> = Op extends { requestBody: { content: infer Content } }
  ? { readonly body: Content extends { 'application/json': infer Json } ? Json : FormData }
  : unknown;

type Options<Op> = RequestOptions &
  Given<'params', Exclude<Parameters<Op>['path' & keyof Parameters<Op>], undefined>> &
  Given<'query', Exclude<Parameters<Op>['query' & keyof Parameters<Op>], undefined>> &
  Body<Op>;

/** What a request to a path takes: `params` of the path, `query`, `body`, as the OpenAPI document has them. */
export type RestOptions<Path extends RestPath<M>, M extends Method> = Options<Operation<Path, M>>;

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : undefined;

type ResponseOf<Op> = Op extends { responses: infer Responses }
  ? Json<Responses[(200 | 201) & keyof Responses]>
  : never;

/** The body of a successful answer. */
export type RestResponse<Path extends RestPath<M>, M extends Method> = ResponseOf<Operation<Path, M>>;

/** Left out where nothing is required. */
type Arguments<Op> = object extends Options<Op> ? [options?: Options<Op>] : [options: Options<Op>];

type Call<M extends Method> = <Path extends RestPath<M>>(
  path: Path,
  ...options: Arguments<Operation<Path, M>>
) => Promise<RestResponse<Path, M>>;

/**
 * The REST API: a function for each operation of the OpenAPI document, `rest.listTasks({ query: { completed: false } })`, and for each
 * method, `rest.get('/api/v2/todo', { query: { completed: false } })`. A request rejects with `TaskgateError` where it is refused, and
 * with the reason of its signal where that aborts.
 */
export type Rest = { readonly [M in Method]: Call<M> } & {
  readonly [Id in keyof typeof restOperations]: (
    ...options: Arguments<operations[Id]>
  ) => Promise<ResponseOf<operations[Id]>>;
};

/** Of any request, as what is behind the types sees it. */
interface AnyOptions extends RequestOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A parameter as a segment of a path. @throws TypeError for what would lead to another path */
function segmentOf(name: string, value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new TypeError(`params.${name} is no id: ${JSON.stringify(value)}`);
  return encodeURIComponent(value);
}

/** @param ofClient the account of requests that name none @returns the REST API over the given transport */
export function createRest(http: Http, ofClient?: string): Rest {
  const call =
    (method: string) =>
    async (path: string, options: AnyOptions = {}): Promise<unknown> => {
      const { params = {}, query = {}, account = ofClient, ...request } = options;
      const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => segmentOf(name, params[name] ?? ''));
      const given = Object.entries(query).filter(([, value]) => value !== undefined);
      // A list has commas, as the OpenAPI document says: `explode: false`.
      const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
      const isSafe = method === 'get';
      const full = search === '' ? filled : `${filled}?${search}`;
      const headers = { ...(account !== undefined && { 'X-Account-Id': account }), ...request.headers };
      return (await http.send({ ...request, headers, method: method.toUpperCase(), path: full, isSafe })).body;
    };
  const named = Object.entries(restOperations).map(([id, operation]) => {
    const [method = '', path = ''] = operation.split(' ');
    return [id, (options?: AnyOptions) => call(method)(path, options)];
  });
  return Object.fromEntries([...methods.map((method) => [method, call(method)]), ...named]) as Rest;
}
