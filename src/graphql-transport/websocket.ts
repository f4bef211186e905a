import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Request } from 'express';
import { handleProtocols } from 'graphql-ws';
import { Gauge } from 'prom-client';
import { type WebSocket, WebSocketServer } from 'ws';
import { RateLimitError } from '../kernel/errors.ts';
import type { Opener } from '../graphql/subscription-limits.ts';
import { log } from '../kernel/logger.ts';
import type { Services } from '../kernel/services.ts';
import { registry } from '../kernel/metrics.ts';
import { clientAddressFrom } from '../http/client-address.ts';
import { headersOf } from '../http/error-response.ts';
import { isAllowedOrigin, type OriginOptions } from '../http/origins.ts';
import type { RequestLimits } from '../http/request-limits.ts';
import { onWebSocketUpgrade, refuseUpgrade } from '../http/upgrades.ts';
import { SocketFlow, socketTurns } from './websocket-flow.ts';
import { closeUnauthorized, type ProtocolOptions, socketProtocol } from './websocket-protocol.ts';

export interface WebSocketOptions extends ProtocolOptions {
  /** The session that the request's cookie names, and whose it is; undefined where there is none. */
  sessionOf(request: IncomingMessage): Promise<{ id: string; userId: string } | undefined>;
  /** Has `end` called once the session has ended. @returns what ends the watching */
  watchSession(sessionId: string, end: () => void): () => void;
  origins: OriginOptions;
  limits: RequestLimits;
}

/** Bytes of a message at the most, as of a request over HTTP. */
const maxPayload = 1024 * 1024;

const openSockets = new Gauge({
  name: 'taskgate_websockets',
  help: 'Open WebSockets of users.',
  registers: [registry],
});

/** Milliseconds between pings; a socket that has not answered by the next one is dropped. */
const keepAlive = 15_000;

/** Sockets without a session that may be on their way to be closed; further ones are refused before the handshake. */
const maxAnonymous = 100;

/**
 * Serves `/graphql` over WebSocket. A socket is kept for as long as its session lives and its peer answers; what comes over it is
 * {@link socketProtocol}'s.
 */
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
  /** Of open sockets. */
  const flows = new Set<SocketFlow>();
  /** Sockets without a session that are being closed. */
  let anonymous = 0;

  /** Whoever has no session is told so in the words of the protocol; there is nothing for them here. */
  function turnAway(socket: WebSocket, flow: SocketFlow) {
    anonymous += 1;
    socket.once('close', () => (anonymous -= 1));
    closeUnauthorized(flow);
  }

  function open(socket: WebSocket, session: { id: string; userId: string } | undefined, clientAddress: string) {
    socket.on('error', (error) => log.debug({ error: error.message }, 'a WebSocket failed'));
    const flow = new SocketFlow(socket, services.deadlines, turns);
    flows.add(flow);
    socket.once('close', () => flows.delete(flow));
    if (!session) return turnAway(socket, flow);
    const giveBack = countConnection(services, { userId: session.userId, clientAddress }, flow);
    if (!giveBack) return;
    const stopWatching = options.watchSession(session.id, () => closeUnauthorized(flow));
    const stopPings = pingRegularly(socket, flow);
    socket.once('close', () => {
      giveBack();
      stopWatching();
      stopPings();
    });
    serve(socket, { flow, sessionId: session.id, userId: session.userId, clientAddress });
  }

  let closing = false;

  async function upgrade(request: Request, socket: Duplex, head: Buffer) {
    const { origin, host } = request.headers;
    if (!/^\/graphql(\?|$)/.test(request.url)) return refuseUpgrade(socket, 404);
    if (!overload.admits('upgrade')) return refuseUpgrade(socket, 503);
    const clientAddress = clientAddressFrom(request.ip);
    request.clientAddress = clientAddress;
    limits.countUpgrade(request);
    if (!isAllowedOrigin(origin, host, origins)) {
      services.securityLog.event('malicious_cors', { viewer: null, clientAddress }, { reason: 'origin' });
      return refuseUpgrade(socket, 403);
    }
    const session = await overload.during(() => options.sessionOf(request));
    if (socket.destroyed) return;
    if (closing) return refuseUpgrade(socket, 503);
    if (!session && anonymous >= maxAnonymous) return refuseUpgrade(socket, 401);
    sockets.handleUpgrade(request, socket, head, (webSocket) => open(webSocket, session, clientAddress));
  }

  return {
    /** Takes the upgrades of a server. */
    attach(httpServer: Server): void {
      onWebSocketUpgrade(httpServer, (request, socket, head) => {
        // No middleware has seen it, but the server made it as Express's: its address is read by the proxies that are trusted.
        upgrade(request as Request, socket, head).catch((error: unknown) => {
          if (error instanceof RateLimitError) refuseUpgrade(socket, 429, headersOf(error));
          else refuseUpgrade(socket, 503);
        });
      });
    },
    /** Closes every socket: 1001, going away. */
    async close(): Promise<void> {
      closing = true;
      for (const flow of flows) flow.close(1001, 'Going away');
      await Promise.all([...flows].map(({ closed }) => closed));
    },
  };
}

/** Counts a socket of the user's; where there are too many, it is closed: 1013, try again later (RFC 6455, 7.4). */
function countConnection(
  { subscriptions, securityLog }: Services,
  opener: Opener,
  flow: SocketFlow,
): (() => void) | undefined {
  try {
    const giveBack = subscriptions.openConnection(opener);
    openSockets.inc();
    return () => {
      openSockets.dec();
      giveBack();
    };
  } catch (error) {
    securityLog.refusal({ viewer: { id: opener.userId }, clientAddress: opener.clientAddress }, error);
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
