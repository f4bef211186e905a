import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { handleProtocols } from 'graphql-ws';
import { Gauge } from 'prom-client';
import { type WebSocket, WebSocketServer } from 'ws';
import { log, registry, TaskgateError, unauthenticated, unavailable } from '@taskgate/base';
import { GroupCounts } from '@taskgate/work';
import type { ExecutionContext, ExecutionServices } from './context.ts';
import { SocketFlow, socketTurns } from './websocket-flow.ts';
import { OperationNames } from './websocket-names.ts';
import {
  closeUnauthorized,
  type ProtocolOptions,
  type SocketBearer,
  type SocketClient,
  socketProtocol,
} from './websocket-protocol.ts';

export interface SocketServerOptions<Context extends ExecutionContext> extends ProtocolOptions<Context> {
  services: ExecutionServices;
  /** Bounds what its peer sends. */
  onOpen(client: SocketClient, socket: WebSocket, connection: Duplex): void;
  /** @throws {TaskgateError} for a bad access token */
  ofSocket(authorization: string, clientAddress: string): Promise<SocketBearer>;
  /** Calls `end` when the credential ends. @returns stops watching */
  watchSession(key: string, end: () => void): () => void;
}

interface Upgrade {
  socket: Duplex;
  head: Buffer;
  /** Undefined if anonymous. */
  bearer: SocketBearer | undefined;
  clientAddress: string;
}

/** Bytes of a message, as over HTTP. */
const maxPayload = 1024 * 1024;

const openSockets = new Gauge({
  name: 'taskgate_websockets',
  help: 'Open authenticated WebSockets.',
  registers: [registry],
});

/** Milliseconds. A socket that has not answered by the next ping is dropped. */
const keepAlive = 15_000;

/** Connections before authentication, which takes three seconds at most. Further upgrades are refused. */
const maxAnonymous = { ofClient: 100, all: 1000 };

/** GraphQL over WebSocket, until the session ends or the peer does not answer. */
export function socketServer<Context extends ExecutionContext>(options: SocketServerOptions<Context>) {
  const { services } = options;
  const serve = socketProtocol(options);
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload,
    autoPong: false,
    // One message a turn of the event loop: 20 sockets that wrote without a pause held it for minutes.
    allowSynchronousEvents: false,
    handleProtocols: (offered) => handleProtocols(offered),
  });

  const turns = socketTurns();
  const flows = new Set<SocketFlow>();
  const anonymous = new GroupCounts();
  const all = 'all';

  const isFull = (clientAddress: string) =>
    anonymous.get(clientAddress) >= maxAnonymous.ofClient || anonymous.get(all) >= maxAnonymous.all;

  /** Counts a connection until its credential ends. Above the limit, closes it with 1013 (RFC 6455, 7.4). */
  function hold(flow: SocketFlow, { id, userId }: SocketBearer, clientAddress: string): (() => void) | undefined {
    let releaseConnection: () => void;
    try {
      releaseConnection = services.subscriptions.openConnection({ userId, clientAddress });
    } catch (error) {
      options.onRefusal(error, { viewer: { id: userId }, clientAddress });
      flow.close(1013, 'Too many connections');
      return undefined;
    }
    openSockets.inc();
    const stopWatching = options.watchSession(id, () => closeUnauthorized(flow));
    return () => {
      openSockets.dec();
      releaseConnection();
      stopWatching();
    };
  }

  function open(socket: WebSocket, { socket: connection, bearer, clientAddress }: Upgrade) {
    socket.on('error', (error) => log.debug({ error: error.message }, 'a WebSocket failed'));
    const flow = new SocketFlow(socket, services, turns);
    flows.add(flow);
    let release = bearer ? hold(flow, bearer, clientAddress) : anonymous.take([clientAddress, all], 1);
    const stopPings = pingRegularly(socket, flow);
    socket.once('close', () => {
      flows.delete(flow);
      release?.();
      release = undefined;
      stopPings();
    });
    if (!release) return;

    /** A token in the handshake overrides the cookie. Without either, the socket is closed. */
    async function admit(authorization: string | undefined): Promise<boolean> {
      if (authorization !== undefined) {
        const own = await options.ofSocket(authorization, clientAddress).catch((error: unknown) => {
          if (!(error instanceof TaskgateError)) throw error;
          return undefined;
        });
        if (socket.readyState !== socket.OPEN) return false;
        release?.();
        client.bearer = own;
        release = own && hold(flow, own, clientAddress);
      }
      if (!client.bearer) closeUnauthorized(flow);
      return release !== undefined;
    }

    const client: SocketClient = {
      flow,
      payloads: new Map(),
      names: new OperationNames(),
      clientAddress,
      bearer,
      admit,
    };
    options.onOpen(client, socket, connection);
    serve(socket, client);
  }

  let closing = false;

  return {
    /** @throws UNAUTHENTICATED if too many sockets are anonymous; UNAVAILABLE while it closes */
    accept(request: IncomingMessage, upgrade: Upgrade): void {
      const { socket, head, bearer, clientAddress } = upgrade;
      if (closing) throw unavailable('The service stops');
      if (!bearer && isFull(clientAddress)) throw unauthenticated();
      sockets.handleUpgrade(request, socket, head, (webSocket) => open(webSocket, upgrade));
    },
    /** Closes with 1001 (going away). */
    close: async (): Promise<void> => {
      closing = true;
      for (const flow of flows) flow.close(1001, 'Going away');
      await Promise.all([...flows].map(({ closed }) => closed));
    },
  };
}

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
