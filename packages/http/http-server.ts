import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { gauge } from '@taskgate/base';
import { networksOf, rateLimited, type RateLimitError, type RateLimitPolicy } from '@taskgate/limits';
import { GroupCounts } from '@taskgate/work';
import { acceptQueueLength } from './accept-queue.ts';
import { clientAddressFrom } from './client-address.ts';
import { refuseUnparsed } from './raw-response.ts';
import { SlowReaders } from './slow-readers.ts';

const refusalSeconds = 60;

export const defaultConnectionsOfClient = 5_000;

/** Limit of a client's connections to one process. */
export const connectionsOfClient = (quota: number) =>
  ({ name: 'connections-of-client', quota }) as const satisfies RateLimitPolicy;

/** Times are in milliseconds. */
const httpLimits = {
  /** Includes the URL: 1,000 ids fit into a query string. */
  maxHeaderBytes: 128 * 1024,
  /** Time from the first byte, or the opening of the connection. */
  headersMs: 10_000,
  /** Time until the end of the body. */
  requestMs: 180_000,
  /** Node's default is 30 s. */
  checkMs: 2000,
  /** Longer than the 60 s of most load balancers: a request sent while the server closes the connection is lost. */
  keepAliveMs: 65_000,
  /** Includes upgraded connections. */
  maxConnections: 20_000,
  /** Networks get more: see `quotaOfGroup` of @taskgate/work. */
  maxConnectionsOfClient: defaultConnectionsOfClient,
  /** A proxy's connections carry many clients and are not counted. */
  isProxy: (() => false) as (address: string) => boolean,
  /** Average over `slowMs`, while data waits to be read. */
  minBytesPerSecond: 1024,
  slowMs: 30_000,
  /** Discarded from an unread body, so the sender can read the response. */
  maxDiscardedBytes: 16 * 1024 * 1024,
  discardMs: 10_000,
};

export type HttpLimits = typeof httpLimits;

const countConnections = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));

const connections = gauge('taskgate_connections', 'Open client connections, including WebSockets.');
const acceptQueue = gauge('taskgate_accept_queue_length', 'Connections that wait to be accepted by the process.');

const prototypesOf = new WeakMap<Server, { request: IncomingMessage; response: ServerResponse }>();

export function createHttpServer(limits: Partial<HttpLimits> = {}): Server {
  const all = { ...httpLimits, ...limits };
  class Request extends IncomingMessage {}
  class Response<Answered extends IncomingMessage> extends ServerResponse<Answered> {
    override writeHead(status: number, ...rest: unknown[]): this {
      super.writeHead(status, ...(rest as []));
      this.emit('head');
      return this;
    }
  }
  const server = createServer({
    IncomingMessage: Request,
    ServerResponse: Response,
    maxHeaderSize: all.maxHeaderBytes,
    headersTimeout: all.headersMs,
    requestTimeout: all.requestMs,
    connectionsCheckingInterval: all.checkMs,
    keepAliveTimeout: all.keepAliveMs,
  });
  prototypesOf.set(server, { request: Request.prototype, response: Response.prototype });
  server.maxConnections = all.maxConnections;
  connections.track(() => countConnections(server));
  acceptQueue.track(() => acceptQueueLength(server));
  limitClients(server, all);
  closeIdleWhenFull(server);
  const slowReaders = new SlowReaders(all);
  refuseUnparsed(server, all.maxHeaderBytes, (socket) => slowReaders.isResponding(socket));
  const checking = setInterval(() => slowReaders.cut(), all.checkMs).unref();
  const stopCounting = countBusyTime(server, all.headersMs);
  server.once('close', () => {
    clearInterval(checking);
    stopCounting();
  });
  // RFC 9110, 10.1.1 allows it. Node would answer 417, without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // Must be the first listener.
  return server.on('request', discardUnreadBodies(all)).on('request', (_request, response) => {
    response.setMaxListeners(maxListeners);
    response.once('head', () => slowReaders.watch(response));
  });
}

/**
 * Gives the server's messages the methods of Express. Otherwise Express replaces each prototype and V8 loses its
 * optimizations: a fifth of the CPU of a small request.
 */
export function makeExpressMessages(server: Server, app: Express): void {
  const prototypes = prototypesOf.get(server);
  if (!prototypes) throw new Error('the server is not from createHttpServer');
  app.request = Object.setPrototypeOf(prototypes.request, app.request) as Express['request'];
  app.response = Object.setPrototypeOf(prototypes.response, app.response) as Express['response'];
}

const busyTimeSteps = 20;

/**
 * Counts `headersTimeout` only while the event loop runs, as `inTime` does. Node checks it before it reads
 * waiting data, so a blocked process would answer 408.
 */
function countBusyTime(server: Server, headersMs: number): () => void {
  const ticks: number[] = [];
  const ticking = setInterval(() => {
    if (ticks.push(performance.now()) > busyTimeSteps + 1) ticks.shift();
  }, headersMs / busyTimeSteps).unref();
  Object.defineProperty(server, 'headersTimeout', {
    // Must be a 32-bit integer.
    get: () => (ticks.length <= busyTimeSteps ? 2 ** 31 : Math.round(performance.now() - (ticks[0] ?? 0))),
  });
  return () => clearInterval(ticking);
}

const closeIdleIntervalMs = 1_000;

function closeIdleWhenFull(server: Server): void {
  let closedAt = -Infinity;
  server.on('drop', () => {
    const now = performance.now();
    if (now - closedAt < closeIdleIntervalMs) return;
    closedAt = now;
    server.closeIdleConnections();
  });
}

const refusedEvent = 'taskgate:refused';

export const onRefusedConnection = (
  server: Server,
  listener: (clientAddress: string, refusal: RateLimitError) => void,
): unknown => server.on(refusedEvent, listener);

function limitClients(server: Server, { maxConnectionsOfClient: quota, isProxy }: HttpLimits): void {
  const openConnections = new GroupCounts();
  const countedSockets = new WeakSet<Socket>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // `upgrades.ts` restarts connections.
    if (countedSockets.has(socket) || remoteAddress === undefined || isProxy(remoteAddress)) return;
    const clientAddress = clientAddressFrom(remoteAddress);
    const networks = networksOf(clientAddress);
    if (!openConnections.hasRoom(networks, 1, quota)) {
      const refusal = rateLimited(connectionsOfClient(quota), 'Too many connections', { retryAfter: refusalSeconds });
      server.emit(refusedEvent, clientAddress, refusal);
      return void socket.destroy();
    }
    countedSockets.add(socket);
    socket.once('close', openConnections.take(networks, 1));
  });
}

/** Node would warn at 11, but every request has the same number. */
const maxListeners = 30;

/**
 * Discards the rest of a body if the response ends first, so a client that sends before it reads is not reset (RFC
 * 9112, 9.6). Beyond the limits the connection is closed.
 */
function discardUnreadBodies({ maxDiscardedBytes, discardMs }: HttpLimits): RequestListener {
  return (request, response) => {
    if (!hasBody(request)) return;
    response.once('prefinish', () => {
      const { socket } = request;
      if (request.complete || socket.destroyed) return;
      const closing = delayClose(socket);
      discard(request, maxDiscardedBytes, discardMs, (complete) => {
        if (complete) return closing.resume();
        // The response is complete before the connection closes.
        if (response.writableFinished) socket.destroy();
        else response.once('finish', () => socket.destroy());
      });
    });
  };
}

/** Half-closes the socket after the last response. */
function delayClose(socket: Socket): { resume: () => void } {
  let destroyRequested = false;
  socket.destroySoon = () => {
    destroyRequested = true;
    socket.end();
  };
  return {
    resume() {
      // Restores the prototype's method.
      Reflect.deleteProperty(socket, 'destroySoon');
      if (destroyRequested) socket.destroySoon();
    },
  };
}

/** RFC 9112, 6.3. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function discard(request: IncomingMessage, maxBytes: number, ms: number, done: (complete: boolean) => void): void {
  const { socket } = request;
  let bytes = 0;
  const settle = () => {
    clearTimeout(timer);
    request.off('data', count).off('end', settle);
    socket.off('close', settle);
    if (!request.complete) request.pause();
    done(request.complete);
  };
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) settle();
  };
  const timer = setTimeout(settle, ms);
  request.unpipe();
  request.on('data', count).once('end', settle).resume();
  // Node emits no `close` on an answered request.
  socket.once('close', settle);
  // Otherwise Node discards the body without limits.
  request.read(0);
}
