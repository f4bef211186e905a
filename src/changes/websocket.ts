import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type DocumentNode, type GraphQLError, type GraphQLSchema, visit } from 'graphql';
import { CloseCode, handleProtocols, makeServer } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Context, PageSize, SessionControl } from '../kernel/context.ts';
import { forbidden, TaskgateError, unauthenticated } from '../kernel/errors.ts';
import { presentable, run } from '../kernel/execute.ts';
import { log } from '../kernel/logger.ts';
import { subscribe } from '../kernel/subscribe.ts';
import { lookAtSession } from './access.ts';

/** What a client's `subscribe` message asks for, checked and ready to be run; or why it is refused. */
export type CheckDocument = (
  request: { query?: unknown; variables?: unknown; operationName?: unknown; extensions?: unknown },
  requestId: string,
) =>
  | { errors: GraphQLError[] }
  | {
      errors?: undefined;
      document: DocumentNode;
      operationName: string | undefined;
      variables: Record<string, unknown>;
    };

export interface WebSocketOptions {
  schema: GraphQLSchema;
  check: CheckDocument;
  /** Id of the session that the request's cookie names; undefined where there is none. */
  sessionOf(request: IncomingMessage): Promise<string | undefined>;
  /** Has `end` called once the session has ended. @returns what ends the watching */
  watchSession(sessionId: string, end: () => void): () => void;
  /** The client's address, as {@link Context.clientAddress}. */
  clientAddressOf(request: IncomingMessage): string;
  isAllowedOrigin(origin: string | undefined, host: string | undefined): boolean;
  publicUrl: string;
  pageSize: PageSize;
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
/** Milliseconds between pings; a socket that has not answered by the next one is dropped. */
const keepAlive = 15_000;

interface Extra extends Record<string, unknown> {
  socket: WebSocket;
  sessionId: string;
  clientAddress: string;
}

/** Speaks graphql-transport-ws: subscriptions, queries and mutations, each with a viewer of its own moment. */
export function webSocketDoor(options: WebSocketOptions): WebSocketDoor {
  const { schema, check, publicUrl, pageSize } = options;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload,
    handleProtocols: (offered) => handleProtocols(offered),
  });

  /** @throws UNAUTHENTICATED where the session has ended; the socket is closed then */
  async function contextFor({ socket, sessionId, clientAddress }: Extra, requestId: string): Promise<Context> {
    const { viewer } = await lookAtSession(sessionId);
    if (!viewer) {
      closeUnauthorized(socket);
      throw unauthenticated();
    }
    return { viewer, session: sessionOver(sessionId), requestId, clientAddress, publicUrl, pageSize };
  }

  const server = makeServer<Record<string, unknown>, Extra>({
    onSubscribe: async ({ extra, subscriptions }, _id, payload) => {
      const requestId = crypto.randomUUID();
      try {
        if (Object.keys(subscriptions).length > mostOperations) throw tooMany();
        const checked = check({ ...payload }, requestId);
        if (checked.errors) return checked.errors;
        const { document, operationName, variables: variableValues } = checked;
        refuseSignIn(checked);
        const contextValue = await contextFor(extra, requestId);
        return { schema, document, operationName, variableValues, contextValue };
      } catch (error) {
        return [presentable(error, requestId)];
      }
    },
    execute: async (args) => {
      const { requestId } = args.contextValue as Context;
      const result = await run(args);
      return { ...result, errors: result.errors?.map((error) => presentable(error, requestId)) };
    },
    subscribe: (args) => subscribe(args),
    onError: ({ extra }, _id, _payload, errors) => {
      if (errors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED')) {
        closeUnauthorized(extra.socket);
      }
    },
  });

  function open(socket: WebSocket, sessionId: string | undefined, clientAddress: string) {
    socket.on('error', (error) => log.debug({ error: error.message }, 'a WebSocket failed'));
    // Whoever has no session is told so in the words of the protocol; there is nothing for them here.
    if (sessionId === undefined) return closeUnauthorized(socket);
    const stopWatching = options.watchSession(sessionId, () => closeUnauthorized(socket));
    const stopPings = pingRegularly(socket);
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: (data) => send(socket, data),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (handle) => {
          socket.on('message', (data: Buffer) => {
            handle(data.toString('utf8')).catch((error: unknown) => {
              log.error({ error }, 'a message over WebSocket could not be handled');
              socket.close(CloseCode.InternalServerError, 'Internal error');
            });
          });
        },
      },
      { socket, sessionId, clientAddress },
    );
    socket.once('close', (code, reason) => {
      stopWatching();
      stopPings();
      closed(code, reason.toString('utf8')).catch((error: unknown) =>
        log.error({ error }, 'a WebSocket did not end well'),
      );
    });
    return undefined;
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const { origin, host } = request.headers;
    if (new URL(request.url ?? '', 'http://localhost').pathname !== '/graphql') return refuse(socket, 404);
    if (!options.isAllowedOrigin(origin, host)) return refuse(socket, 403);
    const clientAddress = options.clientAddressOf(request);
    const sessionId = await options.sessionOf(request);
    if (socket.destroyed) return;
    sockets.handleUpgrade(request, socket, head, (webSocket) => open(webSocket, sessionId, clientAddress));
  }

  return {
    attach(httpServer) {
      httpServer.on('upgrade', (request, socket, head) => {
        socket.on('error', () => socket.destroy());
        upgrade(request, socket, head).catch(() => refuse(socket, 503));
      });
    },
    async close() {
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

const closeUnauthorized = (socket: WebSocket) => socket.close(CloseCode.Unauthorized, 'Unauthorized');

/**
 * Settles when the message has left, so that a consumer that takes nothing holds its subscriptions up. Where it
 * cannot be sent, the socket is closing, and that ends them.
 */
const send = (socket: WebSocket, data: string) =>
  new Promise<void>((resolve) => {
    if (socket.readyState !== socket.OPEN) return resolve();
    socket.send(data, () => resolve());
  });

/** Drops a socket that has not answered a ping by the time of the next one. */
function pingRegularly(socket: WebSocket): () => void {
  let isAlive = true;
  socket.on('pong', () => {
    isAlive = true;
  });
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, keepAlive);
  timer.unref();
  return () => clearInterval(timer);
}

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

const tooMany = () =>
  new TaskgateError('RATE_LIMITED', `A socket may have ${mostOperations} operations open at once`, { retryAfter: 1 });

const noCookie = () => forbidden('Sign in and out over HTTP: a WebSocket cannot set the session cookie');

/** A session that can be read but not changed: the cookie went out with the upgrade. */
const sessionOver = (id: string): SessionControl => ({
  id,
  adopt() {
    throw noCookie();
  },
  end: () => Promise.reject(noCookie()),
});

const ofSessions = new Set(['signIn', 'signUp', 'signOut']);

/** Refuses what would change the session before any of it is done: a code would be used up otherwise. */
function refuseSignIn({ document }: { document: DocumentNode }): void {
  visit(document, {
    Field({ name }) {
      if (ofSessions.has(name.value)) throw noCookie();
    },
  });
}
