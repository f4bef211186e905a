import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Request } from 'express';
import { handleProtocols } from 'graphql-ws';
import { Gauge } from 'prom-client';
import { type WebSocket, WebSocketServer } from 'ws';
import { log, registry, TaskgateError, unauthenticated } from '@taskgate/base';
import type { Opener } from '@taskgate/execution';
import { clientAddressFrom, onWebSocketUpgrade, refuseUpgrade } from '@taskgate/http';
import { RateLimitError } from '@taskgate/limits';
import { GroupCounts } from '@taskgate/work';
import type { Services } from '../platform/services.ts';
import { headersOf } from '../http/error-response.ts';
import { bringsToken, isAllowedOrigin, type OriginOptions } from '../http/origins.ts';
import type { RequestLimits } from '../http/request-limits.ts';
import { SocketFlow, socketTurns } from './websocket-flow.ts';
import {
  closeUnauthorized,
  type ProtocolOptions,
  type SocketBearer,
  type SocketClient,
  socketProtocol,
} from './websocket-protocol.ts';

export interface WebSocketOptions extends ProtocolOptions {
  /** Undefined if anonymous. @throws UNAUTHENTICATED for a bad access token */
  ofUpgrade(request: Request): Promise<SocketBearer | undefined>;
  ofSocket(authorization: string, clientAddress: string): Promise<SocketBearer>;
  /** Calls `end` when the credential ends. @returns stops watching */
  watchSession(key: string, end: () => void): () => void;
  origins: OriginOptions;
  limits: RequestLimits;
}

/** As over HTTP. */
const maxPayload = 1024 * 1024;

const openSockets = new Gauge({
  name: 'taskgate_websockets',
  help: 'Open authenticated WebSockets.',
  registers: [registry],
});

/** Milliseconds. A socket that has not answered by the next ping is dropped. */
const keepAlive = 15_000;

/** Before authentication, which takes three seconds at most. Further upgrades are refused. */
const maxAnonymous = { ofClient: 100, all: 1000 };

/** Until the session ends or the peer does not answer. */
export function graphqlOverWebSocket(options: WebSocketOptions) {
  const { overload, services, limits, origins } = options;
  const serve = socketProtocol(options);
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload,
    autoPong: false,
    handleProtocols: (offered) => handleProtocols(offered),
  });

  const turns = socketTurns();
  const flows = new Set<SocketFlow>();
  const anonymous = new GroupCounts();
  const all = 'all';

  const isFull = (clientAddress: string) =>
    anonymous.get(clientAddress) >= maxAnonymous.ofClient || anonymous.get(all) >= maxAnonymous.all;

  /** Closes the socket when its credential ends. Undefined if refused. */
  function hold(flow: SocketFlow, { id, userId }: SocketBearer, clientAddress: string): (() => void) | undefined {
    const releaseConnection = countConnection(services, { userId, clientAddress }, flow);
    if (!releaseConnection) return undefined;
    const stopWatching = options.watchSession(id, () => closeUnauthorized(flow));
    return () => {
      releaseConnection();
      stopWatching();
    };
  }

  function open(socket: WebSocket, bearer: SocketBearer | undefined, clientAddress: string) {
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

    const client: SocketClient = { flow, payloads: new Map(), clientAddress, bearer, admit };
    serve(socket, client);
  }

  let closing = false;

  async function upgrade(request: Request, socket: Duplex, head: Buffer) {
    const { origin, host } = request.headers;
    if (!/^\/graphql(\?|$)/.test(request.url)) return refuseUpgrade(socket, 404);
    if (!overload.admits('upgrade')) return refuseUpgrade(socket, 503);
    const clientAddress = clientAddressFrom(request.ip);
    request.clientAddress = clientAddress;
    limits.countUpgrade(request);
    if (!bringsToken(request) && !isAllowedOrigin(origin, host, origins)) {
      services.securityLog.event('malicious_cors', { viewer: null, clientAddress }, { reason: 'origin' });
      return refuseUpgrade(socket, 403);
    }
    const bearer = await overload.during(() => options.ofUpgrade(request));
    if (socket.destroyed) return;
    if (closing) return refuseUpgrade(socket, 503);
    if (!bearer && isFull(clientAddress)) return refuseUpgrade(socket, 401, headersOf(unauthenticated()));
    sockets.handleUpgrade(request, socket, head, (webSocket) => open(webSocket, bearer, clientAddress));
  }

  return {
    attach(httpServer: Server): void {
      onWebSocketUpgrade(httpServer, (request, socket, head) => {
        // No middleware has run, but `request.ip` of Express respects trusted proxies.
        upgrade(request as Request, socket, head).catch((error: unknown) => {
          if (error instanceof RateLimitError) refuseUpgrade(socket, 429, headersOf(error));
          else if (error instanceof TaskgateError && error.code === 'UNAUTHENTICATED')
            refuseUpgrade(socket, 401, headersOf(error));
          else refuseUpgrade(socket, 503);
        });
      });
    },
    /** Closes with 1001 (going away). */
    async close(): Promise<void> {
      closing = true;
      for (const flow of flows) flow.close(1001, 'Going away');
      await Promise.all([...flows].map(({ closed }) => closed));
    },
  };
}

/** Above the limit, closes with 1013 (RFC 6455, 7.4). */
function countConnection(
  { subscriptions, securityLog }: Services,
  opener: Opener,
  flow: SocketFlow,
): (() => void) | undefined {
  try {
    const releaseConnection = subscriptions.openConnection(opener);
    openSockets.inc();
    return () => {
      openSockets.dec();
      releaseConnection();
    };
  } catch (error) {
    securityLog.refusal({ viewer: { id: opener.userId }, clientAddress: opener.clientAddress }, error);
    flow.close(1013, 'Too many connections');
    return undefined;
  }
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
