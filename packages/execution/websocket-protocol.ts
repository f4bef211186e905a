import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import { CloseCode, makeServer, type SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { inSpan, log, unauthenticated } from '@taskgate/base';
import { rateLimited } from '@taskgate/limits';
import { type Overload, overloaded } from '@taskgate/work';
import type { CheckedOperation, OperationRequest, RefusedOperation } from './check-operation.ts';
import { type ExecutionContext, pauseOf } from './context.ts';
import type { Executor } from './envelop.ts';
import { failedResult, presentable, withPresentable } from './errors.ts';
import { isLarge, jsonBytes } from './json-text.ts';
import { subscribe } from './subscribe.ts';
import { type Admit, Subscription } from './subscription.ts';
import type { SocketFlow } from './websocket-flow.ts';
import { messageOf, pongFor, textFor } from './websocket-messages.ts';
import type { OperationNames } from './websocket-names.ts';

export interface SocketBearer {
  id: string;
  userId: string;
}

/** Parts of an operation's context. */
type SocketFacts = Pick<ExecutionContext, 'requestId' | 'source' | 'clientAddress' | 'cancellation' | 'whenSent'>;

interface AcceptedOperation<Context extends ExecutionContext> extends CheckedOperation {
  contextValue: Context;
}

export interface ProtocolOptions<Context extends ExecutionContext> {
  executor: Executor<Context>;
  overload: Overload;
  checkOperation(
    request: OperationRequest,
    sender: { requestId: string; clientAddress: string; session: SocketBearer },
  ): CheckedOperation | RefusedOperation;
  /**
   * How an operation other than a subscription is executed.
   * @throws if sockets must not execute the operation
   */
  runnerOf(
    checked: CheckedOperation,
    extensions: unknown,
  ): (operation: AcceptedOperation<Context>) => Promise<ExecutionResult>;
  /** Null if the credential has ended. */
  contextOf(key: string, facts: SocketFacts): Promise<Context | null>;
  /** Whether the error means that the credential has ended. */
  endsCredential(error: GraphQLError): boolean;
  onRefusal(error: unknown, sender: { requestId?: string; viewer: { id: string } | null; clientAddress: string }): void;
  onEnd(operation: AcceptedOperation<Context>, ms: number): void;
}

export interface SocketClient extends Record<string, unknown> {
  flow: SocketFlow;
  /** Payloads that graphql-ws has not requested yet, by operation name. */
  payloads: Map<string, SubscribePayload>;
  names: OperationNames;
  clientAddress: string;
  /** Undefined before the handshake, if the upgrade had none. */
  bearer: SocketBearer | undefined;
  /** @returns false if the socket is anonymous and closed */
  admit(authorization: string | undefined): Promise<boolean>;
}

interface SocketOperation<Context extends ExecutionContext>
  extends Omit<ExecutionArgs, keyof AcceptedOperation<Context>>, AcceptedOperation<Context> {
  name: string;
  flow: SocketFlow;
  run: ReturnType<ProtocolOptions<Context>['runnerOf']>;
  trace: { traceparent?: string };
}

const maxOperations = 1000;
/** Before authentication, in bytes. */
const maxHandshake = 4096;
/** A payload of graphql-ws that is not sent. Results have at least data or errors. */
const alreadySent = {};
const endOfSent = '"type":"next","payload":{}}';
const source = { api: 'graphql', transport: 'websocket' } as const;

/** Implements graphql-transport-ws. Each operation runs with a fresh viewer. */
export function socketProtocol<Context extends ExecutionContext>(options: ProtocolOptions<Context>) {
  const server = makeServer<Record<string, unknown>, SocketClient>({
    onConnect: ({ extra, connectionParams }) => extra.admit(connectionParams?.['authorization'] as string | undefined),
    onSubscribe: ({ extra, subscriptions }, name) =>
      beginOperation(options, extra, { name, isTooMany: Object.keys(subscriptions).length > maxOperations }),
    execute: (args) => runOperation(options, args as SocketOperation<Context>),
    subscribe: (args) => streamOperation(options, args as SocketOperation<Context>),
    onNext: async ({ extra }, name, _payload, { contextValue }, result) => {
      if (!isLarge(result.data)) return undefined;
      await sendLarge(extra, name, result, contextValue as Context);
      return alreadySent;
    },
    onError: ({ extra }, _id, _payload, errors) => {
      if (errors.some((error) => options.endsCredential(error))) closeUnauthorized(extra.flow);
    },
  });
  return (socket: WebSocket, client: SocketClient): void => {
    const { flow, names } = client;
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: (data) => {
          const message = names.toPeer(data);
          return message === undefined || message.endsWith(endOfSent) ? undefined : flow.send(message);
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

/** graphql-ws would make the text at once. */
async function sendLarge(client: SocketClient, name: string, result: ExecutionResult, context: ExecutionContext) {
  const { flow, names } = client;
  const bytes = await flow.make(() => jsonBytes(result, pauseOf(context)));
  const head = names.toPeer(`{"id":"${name}","type":"next"`);
  if (head !== undefined) await flow.send(`${head},"payload":`, bytes, '}');
}

async function beginOperation<Context extends ExecutionContext>(
  options: ProtocolOptions<Context>,
  client: SocketClient,
  { name, isTooMany }: { name: string; isTooMany: boolean },
): Promise<SocketOperation<Context> | GraphQLError[]> {
  const { executor, overload } = options;
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
    const checked = options.checkOperation({ ...payload }, { requestId, clientAddress, session: bearer });
    if (checked.errors) throw new AggregateError(checked.errors);
    const run = options.runnerOf(checked, extensions);
    const facts = { requestId, source, clientAddress, cancellation, whenSent: () => flow.drained() };
    const contextValue = await overload.during(() => options.contextOf(bearer.id, facts));
    if (!contextValue) {
      closeUnauthorized(flow);
      throw unauthenticated();
    }
    return { schema: executor.schema, ...checked, contextValue, name, flow, run, trace: traceOf(extensions) };
  } catch (error) {
    flow.end(name);
    flow.requestEnded();
    const viewer = bearer ? { id: bearer.userId } : null;
    options.onRefusal(error, { requestId, viewer, clientAddress });
    return error instanceof AggregateError ? (error.errors as GraphQLError[]) : [presentable(error, requestId)];
  }
}

function traceOf(extensions: unknown): { traceparent?: string } {
  const { traceparent } = (extensions ?? {}) as { traceparent?: unknown };
  return typeof traceparent === 'string' ? { traceparent } : {};
}

const runOperation = <Context extends ExecutionContext>(
  options: ProtocolOptions<Context>,
  operation: SocketOperation<Context>,
) => inSpan('websocket', () => runTraced(options, operation), { headers: operation.trace });

async function runTraced<Context extends ExecutionContext>(
  options: ProtocolOptions<Context>,
  operation: SocketOperation<Context>,
) {
  const { contextValue, flow, run } = operation;
  const end = endOf(options, operation);
  const resultOf = (hasWaited: boolean): Promise<ExecutionResult> => {
    contextValue.mustRefreshViewer = hasWaited;
    return run(operation).catch(failedResult);
  };
  const result = await flow
    .execute((hasWaited) => options.overload.during(() => resultOf(hasWaited)))
    .finally(() => {
      flow.requestEnded();
      end();
    });
  return withPresentable(result, contextValue);
}

function streamOperation<Context extends ExecutionContext>(
  options: ProtocolOptions<Context>,
  operation: SocketOperation<Context>,
) {
  const { flow, cost, bytes } = operation;
  const admit: Admit = (work) => flow.execute(work);
  const subscription = new Subscription({ cost, bytes, hasConnection: false, admit });
  subscription.onEnd(endOf(options, operation));
  return subscribe(options.executor, operation, subscription).finally(() => flow.requestEnded());
}

function endOf<Context extends ExecutionContext>(
  options: ProtocolOptions<Context>,
  operation: SocketOperation<Context>,
): () => void {
  const begun = performance.now();
  return () => {
    operation.flow.end(operation.name);
    options.onEnd(operation, Math.round(performance.now() - begun));
  };
}

const tooManyOperations = () =>
  rateLimited(
    { name: 'operations-of-socket', quota: maxOperations },
    `A socket may have ${maxOperations} operations open at once`,
    { retryAfter: 1 },
  );

export const closeUnauthorized = (flow: SocketFlow): void => flow.close(CloseCode.Unauthorized, 'Unauthorized');
