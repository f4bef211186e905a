import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { getOperationAST, type DocumentNode, type ExecutionArgs, type GraphQLError, type GraphQLSchema } from 'graphql';
import { CloseCode, handleProtocols, makeServer } from 'graphql-ws';
import { Gauge } from 'prom-client';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Cancellation } from '../kernel/cancellation.ts';
import type { Context, PageSize } from '../kernel/context.ts';
import { RateLimitError, rateLimited, unauthenticated } from '../kernel/errors.ts';
import { presentable, run } from '../kernel/execute.ts';
import { log } from '../kernel/logger.ts';
import { headersOf } from '../kernel/request-errors.ts';
import type { Caller } from '../kernel/request-limits.ts';
import { registry } from '../kernel/metrics.ts';
import { type Overload, overloaded } from '../kernel/overload.ts';
import { loggedName } from '../kernel/request-log.ts';
import { logRefusal, logSecurityEvent } from '../kernel/security-log.ts';
import { type Admit, subscribe } from '../kernel/subscribe.ts';
import { openConnection } from '../kernel/subscription-limits.ts';
import { onWebSocketUpgrade, refuseUpgrade } from '../kernel/upgrades.ts';
import { lookAtSession } from './access.ts';
import { free, messageOf, pongFor } from './messages.ts';
import { SocketFlow } from './socket-flow.ts';
import { refuseSignIn, sessionOver } from './socket-session.ts';

/** What a client's `subscribe` message asks for, checked and ready to be run; or why it is refused. */
export type CheckDocument = (
  request: { query?: unknown; variables?: unknown; operationName?: unknown; extensions?: unknown },
  caller: Caller,
) =>
  | { errors: GraphQLError[] }
  | {
      errors?: undefined;
      document: DocumentNode;
      operationName: string | undefined;
      variables: Record<string, unknown>;
      cost: number;
      bytes: number;
    };

export interface WebSocketOptions {
  schema: GraphQLSchema;
  check: CheckDocument;
  /** The session that the request's cookie names, and whose it is; undefined where there is none. */
  sessionOf(request: IncomingMessage): Promise<{ id: string; userId: string } | undefined>;
  /** Has `end` called once the session has ended. @returns what ends the watching */
  watchSession(sessionId: string, end: () => void): () => void;
  /**
   * Counts an upgrade, before its session is looked up.
   * @returns the client's address, as {@link Context.clientAddress}
   * @throws RATE_LIMITED
   */
  admit(request: IncomingMessage): string;
  isAllowedOrigin(origin: string | undefined, host: string | undefined): boolean;
  publicUrl: string;
  pageSize: PageSize;
  overload: Overload;
}

/** The `/graphql` door over WebSocket. */
export interface WebSocketDoor {
  /** Takes the upgrades of a server. */
  attach(server: Server): void;
  /** Closes every socket: 1001, going away. */
  close(): Promise<void>;
}

/** Bytes of a message at the most, as of a request over HTTP. */
const maxPayload = 1024 * 1024;
/** Operations that a socket may have open at once. */
const mostOperations = 1000;
/** Where the operations of sockets come from. */
const source = { api: 'graphql', transport: 'websocket' } as const;

const openSockets = new Gauge({
  name: 'taskgate_websockets',
  help: 'Open WebSockets of users.',
  registers: [registry],
});

/** Milliseconds between pings; a socket that has not answered by the next one is dropped. */
const keepAlive = 15_000;

/** Sockets without a session that may be on their way to be closed; further ones are refused before the handshake. */
const maxAnonymous = 100;

interface Extra extends Record<string, unknown> {
  flow: SocketFlow;
  sessionId: string;
  userId: string;
  clientAddress: string;
}

/** An operation of a socket, as it is handed to graphql-ws and back. */
interface SocketOperation extends ExecutionArgs {
  id: string;
  contextValue: Context;
  flow: SocketFlow;
  cost: number;
  bytes: number;
}

/** Speaks graphql-transport-ws: subscriptions, queries and mutations, each with a viewer of its own moment. */
export function webSocketDoor(options: WebSocketOptions): WebSocketDoor {
  const { schema, check, publicUrl, pageSize, overload } = options;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload,
    autoPong: false,
    handleProtocols: (offered) => handleProtocols(offered),
  });

  /** @throws UNAUTHENTICATED where the session has ended; the socket is closed then */
  async function contextFor(
    { flow, sessionId, clientAddress }: Extra,
    requestId: string,
    cancellation: Cancellation,
  ): Promise<Context> {
    const { viewer } = await lookAtSession(sessionId);
    if (!viewer) {
      closeUnauthorized(flow);
      throw unauthenticated();
    }
    const whenSent = () => flow.drained();
    const session = sessionOver(sessionId);
    // Nobody signs in by a socket: see refuseSignIn.
    const userAgent = undefined;
    const client = { requestId, source, clientAddress, userAgent };
    return { viewer, session, ...client, cancellation, publicUrl, pageSize, whenSent };
  }

  const server = makeServer<Record<string, unknown>, Extra>({
    onSubscribe: async ({ extra, subscriptions }, id, payload) => {
      const requestId = crypto.randomUUID();
      const { flow } = extra;
      flow.requestBegun();
      const cancellation = flow.begin(id);
      try {
        if (Object.keys(subscriptions).length > mostOperations) throw tooMany();
        if (!overload.admits('websocket')) throw overloaded();
        const { userId, sessionId, clientAddress } = extra;
        const checked = check({ ...payload }, { requestId, clientAddress, session: { id: sessionId, userId } });
        free(payload);
        if (checked.errors) throw new AggregateError(checked.errors);
        const { document, operationName, variables: variableValues, cost, bytes } = checked;
        refuseSignIn(checked.document);
        const contextValue = await overload.during(() => contextFor(extra, requestId, cancellation));
        const given = { schema, document, operationName, variableValues, contextValue };
        const args: SocketOperation = { ...given, id, flow, cost, bytes };
        return args;
      } catch (error) {
        flow.end(id, cancellation);
        flow.requestEnded();
        logRefusal({ requestId, viewer: { id: extra.userId }, clientAddress: extra.clientAddress }, error);
        return error instanceof AggregateError ? (error.errors as GraphQLError[]) : [presentable(error, requestId)];
      }
    },
    execute: async (args) => {
      const { contextValue, flow } = args as SocketOperation;
      const over = whenOver(args as SocketOperation);
      const result = await flow
        .execute((hasWaited) => overload.during(() => run(args, { hasWaited })))
        .finally(() => {
          flow.requestEnded();
          over();
        });
      return { ...result, errors: result.errors?.map((error) => presentable(error, contextValue.requestId)) };
    },
    subscribe: (args) => {
      const { flow, cost, bytes } = args as SocketOperation;
      const admit: Admit = (work) => flow.execute(work);
      const onEnd = whenOver(args as SocketOperation);
      return subscribe(args, { cost, bytes, hasConnection: false, admit, onEnd }).finally(() => flow.requestEnded());
    },
    onError: ({ extra }, _id, _payload, errors) => {
      if (errors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED')) closeUnauthorized(extra.flow);
    },
  });

  /** Sockets without a session that are being closed. */
  const anonymous = new Set<WebSocket>();

  /** Whoever has no session is told so in the words of the protocol; there is nothing for them here. */
  function turnAway(socket: WebSocket) {
    anonymous.add(socket);
    socket.once('close', () => anonymous.delete(socket));
    closeUnauthorized(new SocketFlow(socket));
  }

  function open(socket: WebSocket, session: { id: string; userId: string } | undefined, clientAddress: string) {
    socket.on('error', (error) => log.debug({ error: error.message }, 'a WebSocket failed'));
    if (!session) return turnAway(socket);
    const flow = new SocketFlow(socket);
    const giveBack = countConnection(session.userId, clientAddress, flow);
    if (!giveBack) return;
    const stopWatching = options.watchSession(session.id, () => closeUnauthorized(flow));
    const stopPings = pingRegularly(socket, flow);
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
      { flow, sessionId: session.id, userId: session.userId, clientAddress },
    );
    socket.once('close', (code, reason) => {
      giveBack();
      stopWatching();
      stopPings();
      closed(code, reason.toString('utf8')).catch((error: unknown) =>
        log.error({ error }, 'a WebSocket did not end well'),
      );
    });
  }

  let closing = false;

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const { origin, host } = request.headers;
    if (!/^\/graphql(\?|$)/.test(request.url ?? '')) return refuseUpgrade(socket, 404);
    if (!overload.admits('upgrade')) return refuseUpgrade(socket, 503);
    const clientAddress = options.admit(request);
    if (!options.isAllowedOrigin(origin, host)) {
      logSecurityEvent('malicious_cors', { viewer: null, clientAddress }, { reason: 'origin' });
      return refuseUpgrade(socket, 403);
    }
    const session = await overload.during(() => options.sessionOf(request));
    if (socket.destroyed) return;
    if (closing) return refuseUpgrade(socket, 503);
    if (!session && anonymous.size >= maxAnonymous) return refuseUpgrade(socket, 401);
    sockets.handleUpgrade(request, socket, head, (webSocket) => open(webSocket, session, clientAddress));
  }

  return {
    attach(httpServer) {
      onWebSocketUpgrade(httpServer, (request, socket, head) => {
        upgrade(request, socket, head).catch((error: unknown) => {
          if (error instanceof RateLimitError) refuseUpgrade(socket, 429, headersOf(error));
          else refuseUpgrade(socket, 503);
        });
      });
    },
    async close() {
      closing = true;
      // A peer that is gone without a word does not answer the close: it is not waited for.
      const clients = [...sockets.clients];
      const dropping = setTimeout(() => clients.forEach((client) => client.terminate()), 2000);
      const closed = clients.map((client) => new Promise((resolve) => client.once('close', resolve)));
      for (const client of clients) client.close(1001, 'Going away');
      await Promise.all(closed);
      clearTimeout(dropping);
    },
  };
}

const closeUnauthorized = (flow: SocketFlow) => flow.close(CloseCode.Unauthorized, 'Unauthorized');

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

/** Counts a socket of the user's; where there are too many, it is closed: 1013, try again later (RFC 6455, 7.4). */
function countConnection(userId: string, clientAddress: string, flow: SocketFlow): (() => void) | undefined {
  try {
    const giveBack = openConnection({ userId, clientAddress });
    openSockets.inc();
    return () => {
      openSockets.dec();
      giveBack();
    };
  } catch (error) {
    logRefusal({ viewer: { id: userId }, clientAddress }, error);
    flow.close(1013, 'Too many connections');
    return undefined;
  }
}

/** Answers pings, and drops a socket that has shown no life between two of ours: no pong, and no bytes taken. */
function pingRegularly(socket: WebSocket, flow: SocketFlow): () => void {
  socket.on('ping', (data: Buffer) => flow.pong(data));
  socket.on('pong', () => flow.noteProgress());
  const timer = setInterval(() => {
    if (!flow.takeProgress()) return socket.terminate();
    socket.ping();
  }, keepAlive);
  timer.unref();
  return () => clearInterval(timer);
}

const tooMany = () =>
  rateLimited(
    { name: 'operations-of-socket', quota: mostOperations },
    `A socket may have ${mostOperations} operations open at once`,
    { retryAfter: 1 },
  );
