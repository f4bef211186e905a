import type { TadaDocumentNode } from 'gql.tada';
import { z } from 'zod';
import { unauthenticated } from '@taskgate/base';
import type { ErrorCode } from '../src/platform/errors.ts';
import type { Resource, Streams } from './operation.ts';

/** The parts of the caller that a reply may use. */
export interface RestCaller {
  inboxId: string;
}

/** Parts without a shape are not read. */
export type InputShape = z.ZodObject<{ path?: z.ZodType; query?: z.ZodType; body?: z.ZodType }>;

export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  /** One line. */
  summary: string;
  /** What a caller must know, in sentences. */
  description: string;
  /** `session` gives 401 without one. */
  auth: 'session' | 'none';
  input: InputShape;
  /** Default: JSON. */
  body?: 'multipart';
  /** Looked up after a bad request, because 404 precedes 400. */
  resource?: Resource;
  document: TadaDocumentNode<unknown, never>;
  /** For some inputs, with the same variables. */
  alternative?: { document: TadaDocumentNode<unknown, never>; when(input: never): boolean };
  variables(input: never): Record<string, unknown>;
  /** Contract names of arguments, if different. */
  names?: Record<string, string>;
  /** Default: 200. */
  status?: 201;
  /** Codes that do not follow from the row. */
  errors?: readonly ErrorCode[];
  /** A success starts or ends a session. */
  setsCookie?: true;
  isAddition?: true;
  response: z.ZodType;
  /** @throws NOT_FOUND if the data is missing */
  reply(data: never, caller: RestCaller, input: never): unknown;
  /** Alternative event stream. */
  events?: EventsOfRoute;
  /** For a body that is too large for memory. */
  stream?: (streams: Streams, input: never, caller: RestCaller) => Promise<void>;
}

export interface EventsOfRoute {
  event: string;
  data: z.ZodType;
  description: string;
}

const noInput = z.object({});

type Part<Input extends InputShape, Name extends string> =
  z.output<Input> extends Record<Name, infer Value extends object> ? Value : unknown;

type Merged<Input extends InputShape> = Part<Input, 'path'> & Part<Input, 'query'> & Part<Input, 'body'>;

const merge = ({ path, query, body }: { path?: object; query?: object; body?: object }) => ({
  ...body,
  ...query,
  ...path,
});

/** Defaults: a session, no input, the merged request as variables. */
type TypedRoute<Input extends InputShape, Data, Variables, Response extends z.ZodType, Other> = Omit<
  Route,
  'auth' | 'input' | 'document' | 'alternative' | 'variables' | 'response' | 'reply' | 'stream'
> & {
  auth?: 'none';
  input?: Input;
  document: TadaDocumentNode<Data, Variables>;
  alternative?: { document: TadaDocumentNode<Other, object>; when(input: z.output<Input>): boolean };
  response: Response;
  reply(data: Data | Other, caller: RestCaller, input: z.output<Input>): z.input<Response>;
  stream?(streams: Streams, input: z.output<Input>, caller: RestCaller): Promise<void>;
} & (keyof Variables extends never
    ? object
    : Merged<Input> extends Variables
      ? { variables?(input: z.output<Input>): Variables }
      : { variables(input: z.output<Input>): Variables });

/** Makes the compiler check a row. */
export const route = <
  Data,
  Variables,
  Response extends z.ZodType,
  Input extends InputShape = typeof noInput,
  Other = never,
>(
  row: TypedRoute<Input, Data, Variables, Response, Other>,
): Route => ({ auth: 'session', input: noInput, variables: merge, ...row }) as unknown as Route;

export const additions = (...rows: Route[]) => rows.map((row): Route => ({ ...row, isAddition: true }));

export const message = <const Text extends string>(msg: Text) => ({
  response: z.object({ msg: z.literal(msg) }),
  reply: () => ({ msg }),
});

export function present<Viewer>(viewer: Viewer | null): Viewer {
  if (viewer === null) throw unauthenticated();
  return viewer;
}
