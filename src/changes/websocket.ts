import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, GraphQLError, type GraphQLSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Context, PageSize, SessionControl } from '../kernel/context.ts';
import { forbidden, TaskgateError, unauthenticated } from '../kernel/errors.ts';
import { presentable } from '../kernel/execute.ts';
import { run } from '../kernel/run.ts';
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
      document: ExecutionArgs['document'];
      operationName: string | undefined;
      variables: Record<string, unknown>;
    };

export interface WebSocketOptions {
  schema: GraphQLSchema;
  check: CheckDocument;
  /** Id of the session that the request's cookie names; undefined where there is none. */
  sessionOf(request: IncomingMessage): Promise<string | undefined>;
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

/** Close codes of the protocol that are sent from here. */
const unauthorized = 4401;

type Extra = {
  socket: WebSocket;
  request: IncomingMessage & { sessionId?: string };
};

/** Speaks graphql-transport-ws: subscriptions, queries and mutations, each with a viewer of its own moment. */
export function webSocketDoor(options: WebSocketOptions): WebSocketDoor {
  const { schema, check, publicUrl, pageSize } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload });

  /** @throws UNAUTHENTICATED where the session has ended; the socket is closed then */
  async function contextFor({ socket, request }: Extra, requestId: string): Promise<Context> {
    const sessionId = request.sessionId ?? '';
    const { viewer } = await lookAtSession(sessionId);
    if (!viewer) {
      socket.close(unauthorized, 'Unauthorized');
      throw unauthenticated();
    }
    return { viewer, session: sessionOver(sessionId), requestId, publicUrl, pageSize };
  }

  const server = useServer<Record<string, unknown>, Partial<Extra>>(
    {
      onConnect: ({ extra }) => {
        // Whoever has no session is told so in the words of the protocol; there is nothing for them here.
        if (extra.request.sessionId === undefined) extra.socket.close(unauthorized, 'Unauthorized');
      },
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
        const result = await run(args as ExecutionArgs);
        return { ...result, errors: result.errors?.map((error) => presentable(error, requestId)) };
      },
      subscribe: (args) => subscribe(args as ExecutionArgs),
      onError: ({ extra }, _id, _payload, errors) => {
        if (errors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED')) {
          extra.socket.close(unauthorized, 'Unauthorized');
        }
      },
    },
    sockets,
    keepAlive,
  );

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const { origin, host } = request.headers;
    if (new URL(request.url ?? '', 'http://localhost').pathname !== '/graphql') return refuse(socket, 404);
    if (!options.isAllowedOrigin(origin, host)) return refuse(socket, 403);
    const sessionId = await options.sessionOf(request);
    if (socket.destroyed) return;
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      Object.assign(request, { sessionId });
      sockets.emit('connection', webSocket, request);
      if (sessionId === undefined) webSocket.close(unauthorized, 'Unauthorized');
    });
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
      await server.dispose();
      await Promise.all(clients.map((client) => client.readyState === client.CLOSED || once(client, 'close')));
      clearTimeout(dropping);
    },
  };
}

const once = (socket: WebSocket, event: 'close') =>
  new Promise<void>((resolve) => void socket.once(event, () => resolve()));

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

const tooMany = () =>
  new TaskgateError('RATE_LIMITED', `A socket may have ${mostOperations} operations open at once`, { retryAfter: 1 });

const noCookie = () => forbidden('Sign in and out over HTTP: a WebSocket cannot set the session cookie');

/** A session that can be read but not changed: the cookie went out with the upgrade. */
const sessionOver = (id: string): SessionControl => ({
  id,
  start: () => Promise.reject(noCookie()),
  end: () => Promise.reject(noCookie()),
});

const ofSessions = new Set(['signIn', 'signUp', 'signOut']);

/** Refuses what would change the session before any of it is done: a code would be used up otherwise. */
function refuseSignIn({ document }: { document: ExecutionArgs['document'] }): void {
  const found = document.definitions.some((definition) => {
    if (!('selectionSet' in definition) || ('operation' in definition && definition.operation !== 'mutation'))
      return false;
    return definition.selectionSet.selections.some((node) => node.kind === 'Field' && ofSessions.has(node.name.value));
  });
  if (found) throw noCookie();
}
