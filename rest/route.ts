import type { RequestHandler } from 'express';
import type { TadaDocumentNode } from 'gql.tada';
import type { DocumentNode } from 'graphql';
import { z } from 'zod';
import { unauthenticated } from '@taskgate/base';
import type { RequestContexts } from '../src/door/http.ts';
import type { Executor, Streams } from '../src/door/index.ts';
import type { ErrorCode } from '../src/platform/errors.ts';
import type { Resource } from './resource.ts';

/** The caller, as rows see it. Empty without a session. */
export interface RestCaller {
  id: string;
  inboxId: string;
}

export const callerOf = (viewer: { id: string; inboxId: string | null } | null | undefined): RestCaller => ({
  id: viewer?.id ?? '',
  inboxId: viewer?.inboxId ?? '',
});

/** Parts without a shape are not read. */
type InputShape = z.ZodObject<{ path?: z.ZodType; query?: z.ZodType; body?: z.ZodType }>;

interface Endpoint {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  /** One line. */
  summary: string;
  /** Facts for clients, in sentences. */
  description: string;
  /** `session` gives 401 without one. */
  auth: 'session' | 'none';
  input: InputShape;
  /** Further error codes: others follow from the row. */
  errors?: readonly ErrorCode[];
  isAddition?: true;
}

/** Shared by the handlers of all rows. */
export interface Core {
  executor: Executor;
  contexts: RequestContexts;
}

interface SentEvent<Data = unknown> {
  /** Cursor to resume from. */
  id: string;
  data: Data;
}

export interface EventsOfRoute {
  event: string;
  data: z.ZodType;
  description: string;
  document: TadaDocumentNode<unknown, { after?: string | null }>;
  /** A query for the default cursor. */
  start?: { document: DocumentNode; cursorOf(data: unknown): string };
  toEvent(data: never, caller: RestCaller): SentEvent;
}

/** Responds by an operation of the schema. */
export interface Route extends Endpoint {
  raw?: undefined;
  /** Default: JSON. */
  body?: 'multipart';
  /** Looked up after a bad request, because 404 precedes 400. */
  resource?: Resource;
  /** Refuses callers who are not the author of the comment, with this message, after a bad request: 403 precedes 400. */
  authorOnly?: string;
  document: TadaDocumentNode<unknown, never>;
  /** For some inputs, with the same variables. */
  alternative?: { document: TadaDocumentNode<unknown, never>; when(input: never): boolean };
  variables(input: never, caller: RestCaller): Record<string, unknown>;
  /** Contract names of arguments, if different. Empty: an object whose fields are arguments. */
  names?: Record<string, string>;
  /** Default: 200. */
  status?: 201;
  /** A success starts or ends a session. */
  setsCookie?: true;
  response: z.ZodType;
  /** @throws NOT_FOUND if the data is missing */
  reply(data: never, caller: RestCaller, input: never): unknown;
  /** Alternative event stream. */
  events?: EventsOfRoute;
  /** For a body that is too large for memory. */
  stream?: (streams: Streams, input: never, caller: RestCaller) => Promise<void>;
}

/** Responds by a handler of its own, which also checks the session and the input. */
export interface RawRoute extends Endpoint {
  raw: (core: Core) => RequestHandler;
  /** Why it is no operation with one reply. */
  reason: string;
  /** Name in the OpenAPI document. Other rows have the name of their operation. */
  operationId: string;
  takesTokens?: true;
  /** One of the next three. */
  response?: z.ZodType;
  events?: EventsOfRoute;
  /** Texts of the OpenAPI document. */
  redirect?: { description: string; cookie: string };
  /** Whether the response has an `ETag`. */
  isConditional?: true;
}

export type Row = Route | RawRoute;

/** Of another protocol, which the OpenAPI document leaves out. */
export type BareRoute = Pick<RawRoute, 'method' | 'path' | 'auth' | 'raw'>;

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
      ? { variables?(input: z.output<Input>, caller: RestCaller): Variables }
      : { variables(input: z.output<Input>, caller: RestCaller): Variables });

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

/** Makes the compiler check the events of a row. */
export const events = <Data, Shape extends z.ZodType>(
  source: Omit<EventsOfRoute, 'data' | 'document' | 'toEvent'> & {
    data: Shape;
    document: TadaDocumentNode<Data, { after?: string | null }>;
    toEvent(data: Data, caller: RestCaller): SentEvent<z.input<Shape>>;
  },
): EventsOfRoute => source;

/** Defaults: GET, a session, no input. */
export const rawRoute = (
  row: Omit<RawRoute, 'method' | 'auth' | 'input'> & Partial<Pick<RawRoute, 'auth' | 'input'>>,
): RawRoute => ({ method: 'get', auth: 'session', input: noInput, ...row });

export const additions = <Each extends Row>(...rows: Each[]) => rows.map((row): Each => ({ ...row, isAddition: true }));

export const message = <const Text extends string>(msg: Text) => ({
  response: z.object({ msg: z.literal(msg) }),
  reply: () => ({ msg }),
});

export function present<Viewer>(viewer: Viewer | null): Viewer {
  if (viewer === null) throw unauthenticated();
  return viewer;
}
