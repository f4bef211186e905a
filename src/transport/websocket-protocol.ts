import { getOperationAST, type ExecutionArgs, type GraphQLError, type GraphQLSchema } from 'graphql';
import { CloseCode, makeServer, type SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { Cancellation } from '../kernel/cancellation.ts';
import type { Context, PageSize, Viewer } from '../kernel/context.ts';
import { rateLimited, unauthenticated } from '../kernel/errors.ts';
import { presentable } from '../graphql/errors.ts';
import { run } from '../graphql/execute.ts';
import { log } from '../kernel/logger.ts';
import { type Overload, overloaded } from './overload.ts';
import type { CheckCallersOperation } from './counted-operations.ts';
import { loggedName } from './request-log.ts';
import type { Services } from '../kernel/services.ts';
import { type Admit, subscribe } from '../graphql/subscribe.ts';
import { free, messageOf, pongFor } from './websocket-messages.ts';
import type { SocketFlow } from './websocket-flow.ts';
import { closeUnauthorized, refuseSignIn, sessionOver } from './websocket-session.ts';

export interface ProtocolOptions {
  services: Services;
  schema: GraphQLSchema;
  checkOperation: CheckCallersOperation;
  /** Looks up whom a session stands for; null where it has ended. */
  viewerOfSession: (sessionId: string) => Promise<Viewer | null>;
  publicUrl: string;
  pageSize: PageSize;
  overload: Overload;
}

/** Whom a socket serves. */
export interface SocketClient extends Record<string, unknown> {
  flow: SocketFlow;
  sessionId: string;
  userId: string;
  clientAddress: string;
}

/** Answers what comes over an open socket, until it closes. */
export type ServeSocket = (socket: WebSocket, client: SocketClient) => void;

/** An operation of a socket, as it is handed to graphql-ws and back. */
interface SocketOperation extends ExecutionArgs {
  id: string;
  contextValue: Context;
  flow: SocketFlow;
  cost: number;
  bytes: number;
}

/** A `subscribe` message. */
interface Subscribe {
  id: string;
  payload: SubscribePayload;
  /** Operations that the socket has open, this one among them. */
  openOperations: number;
}

/** Operations that a socket may have open at once. */
const maxOperations = 1000;
/** Where the operations of sockets come from. */
const source = { api: 'graphql', transport: 'websocket' } as const;

/** Speaks graphql-transport-ws: subscriptions, queries and mutations, each with a viewer of its own moment. */
export function socketProtocol(options: ProtocolOptions): ServeSocket {
  const { overload } = options;
  const server = makeServer<Record<string, unknown>, SocketClient>({
    onSubscribe: ({ extra, subscriptions }, id, payload) =>
      beginOperation(options, extra, { id, payload, openOperations: Object.keys(subscriptions).length }),
    execute: (args) => runOperation(overload, args as SocketOperation),
    subscribe: (args) => streamOperation(args as SocketOperation),
    onError: ({ extra }, _id, _payload, errors) => {
      if (errors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED')) closeUnauthorized(extra.flow);
    },
  });
  return (socket, client) => {
    const { flow } = client;
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: (data) => flow.send(data),
        close: (code = CloseCode.InternalServerError, reason = '') => flow.close(code, reason),
        onPing: (payload) => flow.send(pongFor(payload)),
        onMessage: (handle) => {
          socket.on('message', (data: Buffer) => {
            const message = messageOf(data);
            if (message.type === 'complete') flow.complete(String(message.id));
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

/** @returns the operation, ready to be executed; or the errors for which it is refused */
async function beginOperation(
  options: ProtocolOptions,
  client: SocketClient,
  { id, payload, openOperations }: Subscribe,
): Promise<SocketOperation | GraphQLError[]> {
  const { schema, checkOperation, overload } = options;
  const { flow, userId, sessionId, clientAddress } = client;
  const requestId = crypto.randomUUID();
  flow.requestBegun();
  const cancellation = flow.begin(id);
  try {
    if (openOperations > maxOperations) throw tooMany();
    if (!overload.admits('websocket')) throw overloaded();
    const checked = checkOperation({ ...payload }, { requestId, clientAddress, session: { id: sessionId, userId } });
    free(payload);
    if (checked.errors) throw new AggregateError(checked.errors);
    const { document, operationName, variables: variableValues, cost, bytes } = checked;
    refuseSignIn(document);
    const contextValue = await overload.during(() => contextFor(options, client, { requestId, cancellation }));
    return { schema, document, operationName, variableValues, contextValue, id, flow, cost, bytes };
  } catch (error) {
    flow.end(id, cancellation);
    flow.requestEnded();
    options.services.securityLog.refusal({ requestId, viewer: { id: userId }, clientAddress }, error);
    return error instanceof AggregateError ? (error.errors as GraphQLError[]) : [presentable(error, requestId)];
  }
}

/** @throws UNAUTHENTICATED where the session has ended; the socket is closed then */
async function contextFor(
  { services, publicUrl, pageSize, viewerOfSession }: ProtocolOptions,
  { flow, sessionId, clientAddress }: SocketClient,
  operation: { requestId: string; cancellation: Cancellation },
): Promise<Context> {
  const viewer = await viewerOfSession(sessionId);
  if (!viewer) {
    closeUnauthorized(flow);
    throw unauthenticated();
  }
  const whenSent = () => flow.drained();
  const session = sessionOver(sessionId, () => viewerOfSession(sessionId));
  // Nobody signs in by a socket: see refuseSignIn.
  const userAgent = undefined;
  return { services, viewer, session, source, clientAddress, userAgent, ...operation, publicUrl, pageSize, whenSent };
}

/** Queries and mutations. */
async function runOperation(overload: Overload, operation: SocketOperation) {
  const { contextValue, flow } = operation;
  const over = whenOver(operation);
  const result = await flow
    .execute((hasWaited) => overload.during(() => run(operation, { hasWaited })))
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
function whenOver({ id, flow, contextValue, document, operationName }: SocketOperation): () => void {
  const { viewer, requestId, cancellation } = contextValue;
  const type = getOperationAST(document, operationName)?.operation;
  const begun = performance.now();
  return () => {
    flow.end(id, cancellation);
    const operation = { type, name: loggedName(operationName ?? undefined) };
    log.info({ requestId, operation, ms: Math.round(performance.now() - begun), userId: viewer?.id }, 'operation');
  };
}

const tooMany = () =>
  rateLimited(
    { name: 'operations-of-socket', quota: maxOperations },
    `A socket may have ${maxOperations} operations open at once`,
    { retryAfter: 1 },
  );
