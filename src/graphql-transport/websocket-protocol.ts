import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  type GraphQLError,
  type GraphQLSchema,
  visit,
} from 'graphql';
import { CloseCode, makeServer, type SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { Cancellation } from '../kernel/cancellation.ts';
import { type Context, fixedSession, type PageSize, type Viewer } from '../kernel/context.ts';
import { forbidden, rateLimited, unauthenticated } from '../kernel/errors.ts';
import { OtherAccountError } from '../kernel/named-account.ts';
import type { CheckedOperation } from '../graphql/check-operation.ts';
import { presentable } from '../graphql/errors.ts';
import { log } from '../kernel/logger.ts';
import { keyOfOperation, runUnderKey } from '../http/idempotency.ts';
import { checkJson } from '../http/json-limits.ts';
import { type Overload, overloaded } from '../http/overload.ts';
import type { CheckCallersOperation } from './counted-operations.ts';
import { loggedName } from '../http/request-observation.ts';
import type { Services } from '../kernel/services.ts';
import { inSpan } from '../kernel/tracing.ts';
import { type Admit, subscribe } from '../graphql/subscribe.ts';
import type { SocketFlow } from './websocket-flow.ts';
import { OperationNames } from './websocket-names.ts';

export interface ProtocolOptions {
  services: Services;
  schema: GraphQLSchema;
  checkOperation: CheckCallersOperation;
  /** Looks up the user of a credential by its key; null if it has ended. */
  viewerOf: (key: string) => Promise<Viewer | null>;
  publicUrl: string;
  pageSize: PageSize;
  overload: Overload;
}

/** Whom a socket is of: the key of a credential, and whose that is. */
export interface SocketBearer {
  id: string;
  userId: string;
}

export interface SocketClient extends Record<string, unknown> {
  flow: SocketFlow;
  clientAddress: string;
  /** Undefined until its handshake says it, where the upgrade has not. */
  bearer: SocketBearer | undefined;
  /** Takes over what the handshake says. @returns whether the socket is of anybody; it is closed otherwise */
  admit(authorization: string | undefined): Promise<boolean>;
}

/** An operation of a socket, as it is handed to graphql-ws and back. */
interface SocketOperation extends Omit<ExecutionArgs, keyof CheckedOperation>, CheckedOperation {
  /** See {@link OperationNames}. */
  name: string;
  contextValue: Context;
  flow: SocketFlow;
  idempotencyKey: string | undefined;
  /** The caller's trace, as headers have it. */
  trace: { traceparent?: string };
}

/** Operations that a socket may have open at once. */
const maxOperations = 1000;
/** Bytes of a message of who has not said yet who they are. */
const maxHandshake = 4096;
/** Most bytes of a ping's payload that are sent back; a longer one is answered without. */
const maxPongPayload = 1024;
const source = { api: 'graphql', transport: 'websocket' } as const;

/**
 * Speaks graphql-transport-ws: subscriptions, queries and mutations, each with the viewer of its moment.
 * @returns what answers all that comes over an open socket, until it closes
 */
export function socketProtocol(options: ProtocolOptions) {
  const { overload } = options;
  const server = makeServer<Record<string, unknown>, SocketClient>({
    onConnect: ({ extra, connectionParams }) => extra.admit(connectionParams?.['authorization'] as string | undefined),
    onSubscribe: ({ extra, subscriptions }, name, payload) =>
      beginOperation(options, extra, { name, payload, isTooMany: Object.keys(subscriptions).length > maxOperations }),
    execute: (args) => runOperation(overload, args as SocketOperation),
    subscribe: (args) => streamOperation(args as SocketOperation),
    onError: ({ extra }, _id, _payload, errors) => {
      // A session that is only another account's goes on.
      const isEnded = (error: GraphQLError) =>
        error.extensions['code'] === 'UNAUTHENTICATED' && !(error instanceof OtherAccountError);
      if (errors.some(isEnded)) closeUnauthorized(extra.flow);
    },
  });
  return (socket: WebSocket, client: SocketClient): void => {
    const { flow } = client;
    const names = new OperationNames();
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: (data) => {
          const message = names.toPeer(data);
          return message === undefined ? undefined : flow.send(message);
        },
        close: (code = CloseCode.InternalServerError, reason = '') =>
          // Who has not said who they are in time is nobody.
          client.bearer ? flow.close(code, reason) : closeUnauthorized(flow),
        onPing: (payload) => flow.send(pongFor(payload)),
        onMessage: (handle) => {
          socket.on('message', (data: Buffer) => {
            if (!client.bearer && data.length > maxHandshake) return closeUnauthorized(flow);
            const message = messageOf(data);
            if (!rename(message, names, flow)) return;
            handle(message as unknown as string).catch((error: unknown) => {
              // What was still to be executed for a socket that is gone.
              if (socket.readyState !== socket.OPEN) return;
              log.error({ error }, 'a message over WebSocket could not be handled');
              flow.close(CloseCode.InternalServerError, 'Internal error');
            });
          });
        },
      },
      client,
    );
    socket.once('close', (code, reason) => {
      closed(code, reason.toString('utf8')).catch((error: unknown) =>
        log.error({ error }, 'a WebSocket did not end well'),
      );
    });
  };
}

/** Puts the name of an operation in the place of its id. @returns whether the message is to be handled */
function rename(message: Message, names: OperationNames, flow: SocketFlow): boolean {
  const { type, id } = message;
  if (typeof id !== 'string' || id === '' || (type !== 'subscribe' && type !== 'complete')) return true;
  const name = type === 'subscribe' ? names.give(id) : names.take(id);
  if (name === undefined) {
    if (type === 'subscribe') flow.close(CloseCode.SubscriberAlreadyExists, alreadyExists(id));
    return false;
  }
  if (type === 'complete') flow.complete(name);
  message.id = name;
  return true;
}

/** A reason has 123 bytes at most (RFC 6455, 5.5). */
const alreadyExists = (id: string) =>
  Buffer.byteLength(id) <= 80 ? `Subscriber for ${id} already exists` : 'The subscriber already exists';

/** @returns the operation, ready to be executed; or the errors for which it is refused */
async function beginOperation(
  options: ProtocolOptions,
  client: SocketClient,
  { name, payload, isTooMany }: { name: string; payload: SubscribePayload; isTooMany: boolean },
): Promise<SocketOperation | GraphQLError[]> {
  const { schema, checkOperation, overload } = options;
  const { flow, clientAddress, bearer } = client;
  const requestId = crypto.randomUUID();
  const cancellation = flow.begin(name);
  try {
    if (isTooMany) throw tooMany();
    if (!overload.admits('websocket')) throw overloaded();
    if (!bearer) throw unauthenticated();
    const { extensions } = payload;
    const checked = checkOperation({ ...payload }, { requestId, clientAddress, session: bearer });
    free(payload);
    if (checked.errors) throw new AggregateError(checked.errors);
    refuseSignIn(checked.document);
    const idempotencyKey = keyOfOperation(schema, checked, { extensions });
    const contextValue = await overload.during(() =>
      contextFor(options, client, bearer.id, { requestId, cancellation }),
    );
    return { schema, ...checked, contextValue, name, flow, idempotencyKey, trace: traceOf(extensions) };
  } catch (error) {
    flow.end(name);
    flow.requestEnded();
    const viewer = bearer ? { id: bearer.userId } : null;
    options.services.securityLog.refusal({ requestId, viewer, clientAddress }, error);
    return error instanceof AggregateError ? (error.errors as GraphQLError[]) : [presentable(error, requestId)];
  }
}

/** @throws UNAUTHENTICATED where the credential has ended; the socket is closed then */
async function contextFor(
  { services, publicUrl, pageSize, viewerOf }: ProtocolOptions,
  { flow, clientAddress }: SocketClient,
  key: string,
  operation: { requestId: string; cancellation: Cancellation },
): Promise<Context> {
  const viewer = await viewerOf(key);
  if (!viewer) {
    closeUnauthorized(flow);
    throw unauthenticated();
  }
  const whenSent = () => flow.drained();
  // The cookie went out with the upgrade. Signing out is refused before: the session has ended in another way, which closes the socket.
  const session = fixedSession(key, () => viewerOf(key), noCookie);
  // Nobody signs in by a socket.
  const userAgent = undefined;
  return { services, viewer, session, source, clientAddress, userAgent, ...operation, publicUrl, pageSize, whenSent };
}

/** The trace that an operation's extensions name, as `traceparent`. */
function traceOf(extensions: unknown): { traceparent?: string } {
  const { traceparent } = (extensions ?? {}) as { traceparent?: unknown };
  return typeof traceparent === 'string' ? { traceparent } : {};
}

/** Queries and mutations, each a trace. */
const runOperation = (overload: Overload, operation: SocketOperation) =>
  inSpan('websocket', () => runTraced(overload, operation), { headers: operation.trace });

async function runTraced(overload: Overload, operation: SocketOperation) {
  const { contextValue, flow } = operation;
  const over = whenOver(operation);
  // A key that is refused is an error of the result.
  const resultOf = (hasWaited: boolean): Promise<ExecutionResult> =>
    runUnderKey(operation, operation.idempotencyKey, hasWaited).catch((error: unknown) => {
      if (operation.idempotencyKey === undefined) throw error;
      return { errors: [presentable(error, contextValue.requestId)] };
    });
  const result = await flow
    .execute((hasWaited) => overload.during(() => resultOf(hasWaited)))
    .finally(() => {
      flow.requestEnded();
      over();
    });
  return { ...result, errors: result.errors?.map((error) => presentable(error, contextValue.requestId)) };
}

function streamOperation(operation: SocketOperation) {
  const { flow, cost, bytes } = operation;
  const admit: Admit = (work) => flow.execute(work);
  const onEnd = whenOver(operation);
  return subscribe(operation, { cost, bytes, hasConnection: false, admit, onEnd }).finally(() => flow.requestEnded());
}

/** @returns what is to be done at the operation's end, its line in the log among it */
function whenOver({ name, flow, contextValue, document, operationName }: SocketOperation): () => void {
  const { viewer, requestId } = contextValue;
  const type = getOperationAST(document, operationName)?.operation;
  const begun = performance.now();
  return () => {
    flow.end(name);
    const operation = { type, name: loggedName(operationName ?? undefined) };
    const ms = Math.round(performance.now() - begun);
    log.info({ requestId, operation, ms, userId: viewer?.id, credentialId: viewer?.credential.id }, 'operation');
  };
}

const tooMany = () =>
  rateLimited(
    { name: 'operations-of-socket', quota: maxOperations },
    `A socket may have ${maxOperations} operations open at once`,
    { retryAfter: 1 },
  );

/** What a message says of itself before graphql-ws has parsed it. */
interface Message {
  type?: unknown;
  id?: unknown;
  payload?: unknown;
}

/**
 * The message as an object, which graphql-ws takes as well as its text and can be freed of what it brought, and without
 * parameters of the connection but the one that is read; one that graphql-ws refuses where it is no JSON within the limits.
 */
function messageOf(bytes: Buffer): Message {
  try {
    checkJson(bytes);
    const message = JSON.parse(bytes.toString('utf8')) as Message | null;
    if (message?.type === 'connection_init') {
      const { authorization } = (message.payload ?? {}) as { authorization?: unknown };
      if (typeof authorization === 'string') message.payload = { authorization };
      else delete message.payload;
    }
    return message ?? {};
  } catch {
    return {};
  }
}

/** Frees what a message brought once it has been checked: graphql-ws holds it for as long as the operation runs. */
function free(payload: object): void {
  for (const name of Object.keys(payload)) Reflect.deleteProperty(payload, name);
}

function pongFor(payload: unknown): string {
  const isLong = Buffer.byteLength(JSON.stringify(payload ?? null)) > maxPongPayload;
  return JSON.stringify({ type: 'pong', payload: isLong ? undefined : payload });
}

/** Closes a socket without a session, or whose session has ended: 4401. */
export const closeUnauthorized = (flow: SocketFlow): void => flow.close(CloseCode.Unauthorized, 'Unauthorized');

const noCookie = () => forbidden('Sign in and out over HTTP: a WebSocket cannot set the session cookie');

const ofSessions = new Set(['signIn', 'signUp', 'signOut', 'deleteAccount', 'linkProvider']);

/** @throws FORBIDDEN for what would change the session, before any of it is done: a code would be used up otherwise */
function refuseSignIn(document: DocumentNode): void {
  visit(document, {
    Field({ name }) {
      if (ofSessions.has(name.value)) throw noCookie();
    },
  });
}
