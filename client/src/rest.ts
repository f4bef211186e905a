import type { Http, RequestOptions } from './http.ts';
import type { paths } from './openapi.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

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

/** What a request to a path takes: `params` of the path, `query`, `body`, as the OpenAPI document has them. */
export type RestOptions<Path extends RestPath<M>, M extends Method> = RequestOptions &
  Given<'params', Exclude<Parameters<Operation<Path, M>>['path' & keyof Parameters<Operation<Path, M>>], undefined>> &
  Given<'query', Exclude<Parameters<Operation<Path, M>>['query' & keyof Parameters<Operation<Path, M>>], undefined>> &
  Body<Operation<Path, M>>;

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The body of a successful answer. */
export type RestAnswer<Path extends RestPath<M>, M extends Method> =
  Operation<Path, M> extends { responses: infer Responses } ? Json<Responses[(200 | 201) & keyof Responses]> : never;

type Call<M extends Method> = <Path extends RestPath<M>>(
  path: Path,
  // Left out where nothing is required.
  ...options: object extends RestOptions<Path, M> ? [options?: RestOptions<Path, M>] : [options: RestOptions<Path, M>]
) => Promise<RestAnswer<Path, M>>;

/**
 * The REST API, a function for each method: `rest.get('/api/v2/todo', { query: { completed: false } })`. A request rejects with
 * `TaskgateError` where it is refused, and with the reason of its signal where that aborts.
 */
export type Rest = { readonly [M in Method]: Call<M> };

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

/** @returns the REST API over the given transport */
export function createRest(http: Http): Rest {
  const call =
    (method: Method) =>
    async (path: string, { params = {}, query = {}, ...request }: AnyOptions = {}): Promise<unknown> => {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => segmentOf(name, params[name] ?? ''));
      const search = new URLSearchParams(
        Object.entries(query).flatMap(([name, value]) =>
          (Array.isArray(value) ? value : [value])
            .filter((each) => each !== undefined)
            .map((each) => [name, String(each)]),
        ),
      ).toString();
      const isSafe = method === 'get';
      const full = search === '' ? filled : `${filled}?${search}`;
      return (await http.send({ ...request, method: method.toUpperCase(), path: full, isSafe })).body;
    };
  return Object.fromEntries(
    (['get', 'post', 'put', 'patch', 'delete'] as const).map((method) => [method, call(method)]),
  ) as unknown as Rest;
}
