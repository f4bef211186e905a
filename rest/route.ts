import type { TadaDocumentNode } from 'gql.tada';
import { z } from 'zod';
import { type ErrorCode, unauthenticated } from '../src/kernel/errors.ts';
import type { Resource, Streams } from './operation.ts';

/** Who is asking, as far as replies depend on it. */
export interface RestCaller {
  inboxId: string;
}

/** What a request may bring, each part by its shape; a part without shape is not read. */
export type InputShape = z.ZodObject<{ path?: z.ZodType; query?: z.ZodType; body?: z.ZodType }>;

/** An endpoint of the contract: a row of data that the router, the OpenAPI document and the tests read. */
export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Express path below the origin. */
  path: string;
  /** One line for the reference. */
  summary: string;
  /** Sentences for the reference: what one has to know to call it. */
  description: string;
  /** Whether a session is needed: 401 without one. */
  auth: 'session' | 'none';
  input: InputShape;
  /** How the body comes; JSON where nothing is said. */
  body?: 'multipart';
  /** Looked up when the rest of the request is bad, as 404 goes before 400. */
  resource?: Resource;
  document: TadaDocumentNode<unknown, never>;
  /** Another document for some inputs, with no other variables. */
  alternative?: { document: TadaDocumentNode<unknown, never>; when(input: never): boolean };
  variables(input: never): Record<string, unknown>;
  /** The contract's name of an argument of the operation, where it is another. */
  names?: Record<string, string>;
  /** Of a success; 200 where nothing is said. */
  status?: 201;
  /** Codes of errors that do not follow from the rest of the row, for the reference. */
  errors?: readonly ErrorCode[];
  /** Whether its success begins or ends a session, for the reference. */
  setsCookie?: true;
  /** Whether it is an addition to the contract, for the reference. */
  isAddition?: true;
  response: z.ZodType;
  /** The body of a success. @throws NOT_FOUND where the operation found nothing */
  reply(data: never, caller: RestCaller, input: never): unknown;
  /** What is streamed to who accepts events instead, for the reference. */
  events?: EventsOfRoute;
  /** Sends a list without pages where it is too large to be made as a whole: the same body, in pieces. */
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

/** The parts of a request as one. */
type Merged<Input extends InputShape> = Part<Input, 'path'> & Part<Input, 'query'> & Part<Input, 'body'>;

const merge = ({ path, query, body }: { path?: object; query?: object; body?: object }) => ({
  ...body,
  ...query,
  ...path,
});

/** A row as it is written: with a session, without input, and with the parts of the request as variables where it says nothing else. */
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

/** Checks a row: that input, variables, documents, reply and response fit together. */
export const route = <
  Data,
  Variables,
  Response extends z.ZodType,
  Input extends InputShape = typeof noInput,
  Other = never,
>(
  row: TypedRoute<Input, Data, Variables, Response, Other>,
): Route => ({ auth: 'session', input: noInput, variables: merge, ...row }) as unknown as Route;

/** Rows of which the contract has none. */
export const additions = (...rows: Route[]) => rows.map((row): Route => ({ ...row, isAddition: true }));

/** `response` and `reply` of a row whose message is always the same. */
export const message = <const Text extends string>(msg: Text) => ({
  response: z.object({ msg: z.literal(msg) }),
  reply: () => ({ msg }),
});

/** The viewer of an operation that is only run with a session. */
export function present<Viewer>(viewer: Viewer | null): Viewer {
  if (viewer === null) throw unauthenticated();
  return viewer;
}
