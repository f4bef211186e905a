import { type DocumentNode, type ExecutionArgs, type ExecutionResult, type GraphQLError, visit } from 'graphql';
import { CloseCode, makeServer, type SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { inSpan, log, unauthenticated } from '@taskgate/base';
import {
  type Admit,
  type CheckedOperation,
  type Executor,
  failedResult,
  presentable,
  subscribe,
  Subscription,
  withPresentable,
} from '@taskgate/execution';
import { rateLimited } from '@taskgate/limits';
import { type Cancellation, type Overload, overloaded } from '@taskgate/work';
import { type Context, fixedSession, type PageSize, type Viewer } from '../platform/context.ts';
import { forbidden } from '../platform/errors.ts';
import { OtherAccountError } from '../platform/named-account.ts';
import { keyOfOperation, runUnderKey } from '../http/idempotency.ts';
import type { CheckCallersOperation } from './counted-operations.ts';
import { loggedName } from '../http/request-observation.ts';
import type { Services } from '../platform/services.ts';
import type { SocketFlow } from './websocket-flow.ts';
import { messageOf, pongFor, textFor } from './websocket-messages.ts';
import { OperationNames } from './websocket-names.ts';

export interface ProtocolOptions {
  services: Services;
  executor: Executor<Context>;
  checkOperation: CheckCallersOperation;
  /** Null if the credential has ended. */
  viewerOf: (key: string) => Promise<Viewer | null>;
  publicUrl: string;
  pageSize: PageSize;
  overload: Overload;
}

export interface SocketBearer {
  id: string;
  userId: string;
}

export interface SocketClient extends Record<string, unknown> {
  flow: SocketFlow;
  /** Payloads that graphql-ws has not requested yet, by operation name. */
  payloads: Map<string, SubscribePayload>;
  clientAddress: string;
  /** Undefined before the handshake, if the upgrade had none. */
  bearer: SocketBearer | undefined;
  /** @returns false if the socket is anonymous and closed */
  admit(authorization: string | undefined): Promise<boolean>;
}

interface SocketOperation extends Omit<ExecutionArgs, keyof CheckedOperation>, CheckedOperation {
  executor: Executor<Context>;
  name: string;
  contextValue: Context;
  flow: SocketFlow;
  idempotencyKey: string | undefined;
  trace: { traceparent?: string };
}

const maxOperations = 1000;
/** Before authentication, in bytes. */
const maxHandshake = 4096;
const source = { api: 'graphql', transport: 'websocket' } as const;

/** Implements graphql-transport-ws. Each operation runs with a fresh viewer. */
export function socketProtocol(options: ProtocolOptions) {
  const { overload } = options;
  const server = makeServer<Record<string, unknown>, SocketClient>({
    onConnect: ({ extra, connectionParams }) => extra.admit(connectionParams?.['authorization'] as string | undefined),
    onSubscribe: ({ extra, subscriptions }, name) =>
      beginOperation(options, extra, { name, isTooMany: Object.keys(subscriptions).length > maxOperations }),
    execute: (args) => runOperation(overload, args as SocketOperation),
    subscribe: (args) => streamOperation(args as SocketOperation),
    onError: ({ extra }, _id, _payload, errors) => {
      // The socket's session remains valid.
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
          // A socket that does not authenticate in time is anonymous.
          client.bearer ? flow.close(code, reason) : closeUnauthorized(flow),
        onPing: (payload) => flow.send(pongFor(payload)),
        onMessage: (handle) => {
          socket.on('message', (data: Buffer) => {
            if (!client.bearer && data.length > maxHandshake) return closeUnauthorized(flow);
            const text = textFor(messageOf(data), names, client);
            if (text === undefined) return;
            handle(text).catch((error: unknown) => {
              // The socket is gone.
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
        log.error({ error }, 'closing a WebSocket failed'),
      );
    });
  };
}

async function beginOperation(
  options: ProtocolOptions,
  client: SocketClient,
  { name, isTooMany }: { name: string; isTooMany: boolean },
): Promise<SocketOperation | GraphQLError[]> {
  const { executor, checkOperation, overload } = options;
  const { flow, payloads, clientAddress, bearer } = client;
  const payload = payloads.get(name);
  payloads.delete(name);
  const requestId = crypto.randomUUID();
  const cancellation = flow.begin(name);
  try {
    if (isTooMany) throw tooManyOperations();
    if (!overload.admits('websocket')) throw overloaded();
    if (!bearer) throw unauthenticated();
    const { extensions } = payload ?? {};
    const checked = checkOperation({ ...payload }, { requestId, clientAddress, session: bearer });
    if (checked.errors) throw new AggregateError(checked.errors);
    refuseSignIn(checked.document);
    const idempotencyKey = keyOfOperation(executor.schema, checked, { extensions });
    const contextValue = await overload.during(() =>
      contextFor(options, client, bearer.id, { requestId, cancellation }),
    );
    return {
      executor,
      schema: executor.schema,
      ...checked,
      contextValue,
      name,
      flow,
      idempotencyKey,
      trace: traceOf(extensions),
    };
  } catch (error) {
    flow.end(name);
    flow.requestEnded();
    const viewer = bearer ? { id: bearer.userId } : null;
    options.services.securityLog.refusal({ requestId, viewer, clientAddress }, error);
    return error instanceof AggregateError ? (error.errors as GraphQLError[]) : [presentable(error, requestId)];
  }
}

/** @throws UNAUTHENTICATED if the credential has ended, and closes the socket */
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
  // The cookie was sent with the upgrade and cannot change.
  const session = fixedSession(key, () => viewerOf(key), noCookie);
  // Nobody signs in over a socket.
  const userAgent = undefined;
  return { services, viewer, session, source, clientAddress, userAgent, ...operation, publicUrl, pageSize, whenSent };
}

function traceOf(extensions: unknown): { traceparent?: string } {
  const { traceparent } = (extensions ?? {}) as { traceparent?: unknown };
  return typeof traceparent === 'string' ? { traceparent } : {};
}

const runOperation = (overload: Overload, operation: SocketOperation) =>
  inSpan('websocket', () => runTraced(overload, operation), { headers: operation.trace });

async function runTraced(overload: Overload, operation: SocketOperation) {
  const { executor, contextValue, flow } = operation;
  const end = endOf(operation);
  const resultOf = (hasWaited: boolean): Promise<ExecutionResult> => {
    contextValue.mustRefreshViewer = hasWaited;
    return runUnderKey(executor, operation, operation.idempotencyKey).catch(failedResult);
  };
  const result = await flow
    .execute((hasWaited) => overload.during(() => resultOf(hasWaited)))
    .finally(() => {
      flow.requestEnded();
      end();
    });
  return withPresentable(result, contextValue);
}

function streamOperation(operation: SocketOperation) {
  const { executor, flow, cost, bytes } = operation;
  const admit: Admit = (work) => flow.execute(work);
  const subscription = new Subscription({ cost, bytes, hasConnection: false, admit });
  subscription.onEnd(endOf(operation));
  return subscribe(executor, operation, subscription).finally(() => flow.requestEnded());
}

function endOf(operation: SocketOperation): () => void {
  const { name, flow, contextValue, operationName } = operation;
  const { operation: type } = operation.operation;
  const { viewer, requestId } = contextValue;
  const begun = performance.now();
  return () => {
    flow.end(name);
    const logged = { type, name: loggedName(operationName) };
    const ms = Math.round(performance.now() - begun);
    log.info(
      { requestId, operation: logged, ms, userId: viewer?.id, credentialId: viewer?.credential.id },
      'operation',
    );
  };
}

const tooManyOperations = () =>
  rateLimited(
    { name: 'operations-of-socket', quota: maxOperations },
    `A socket may have ${maxOperations} operations open at once`,
    { retryAfter: 1 },
  );

export const closeUnauthorized = (flow: SocketFlow): void => flow.close(CloseCode.Unauthorized, 'Unauthorized');

const noCookie = () => forbidden('Sign in and out over HTTP: a WebSocket cannot set the session cookie');

const sessionMutations = new Set(['signIn', 'signUp', 'signOut', 'deleteAccount', 'linkProvider']);

/** @throws FORBIDDEN for mutations of the session, before they use up a code */
function refuseSignIn(document: DocumentNode): void {
  visit(document, {
    Field({ name }) {
      if (sessionMutations.has(name.value)) throw noCookie();
    },
  });
}
