import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { acceptQueueLength } from './accept-queue.ts';
import { clientAddressFrom } from './client-address.ts';
import { type RateLimitError, rateLimited } from '../kernel/errors.ts';
import { GroupCounts } from '../kernel/group-counts.ts';
import { gauge } from '../kernel/metrics.ts';
import { networksOf } from '../kernel/networks.ts';
import { connectionsOfClient, defaultRates } from '../kernel/rate-limit-policies.ts';
import { SlowReaders } from './slow-readers.ts';

/** Seconds for which one event says all refusals of a client's connections. */
const refusalSeconds = 60;

/** What connections and the requests on them may take. Times are in milliseconds. */
export const httpLimits = {
  /** Bytes of request headers, the URL among them: 1,000 ids fit into a query string. */
  maxHeaderBytes: 128 * 1024,
  /** From the first byte of a request, or the opening of its connection, to the end of its headers. */
  headersMs: 10_000,
  /** To the end of its body, read or not; bodies that are read have shorter limits. */
  requestMs: 180_000,
  /** Pauses between checks for requests that take longer: by default Node's are 30 s. */
  checkMs: 2000,
  /**
   * For which a connection without requests stays open: longer than load balancers keep theirs (60 s mostly), as one that
   * we close just when they send a request costs that request.
   */
  keepAliveMs: 65_000,
  /** Connections at once, upgraded ones included; more are closed as they come. */
  maxConnections: 20_000,
  /** Connections of one client at once, of a network around it as `group-counts.ts` says; more are closed as they come. */
  maxConnectionsOfClient: defaultRates.connections,
  /** Whether the other side of a connection is a proxy, by which many clients come: it is no client. */
  isProxy: (() => false) as (address: string) => boolean,
  /** Bytes a second that a client has to take, on average over `slowMs`, while there is something to send to it. */
  minBytesPerSecond: 1024,
  slowMs: 30_000,
  /** Bytes that are read and thrown away of a body that nobody wanted, so that its sender gets to read the response. */
  maxDiscardedBytes: 16 * 1024 * 1024,
  discardMs: 10_000,
};

export type HttpLimits = typeof httpLimits;

const countConnections = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));

const connections = gauge('taskgate_connections', 'Open connections of clients, those of WebSockets included.');
const acceptQueue = gauge(
  'taskgate_accept_queue_length',
  'Connections that the system has taken and the process not yet.',
);

/** The prototypes of what a server makes of each request. */
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
  connections.of(() => countConnections(server));
  acceptQueue.of(() => acceptQueueLength(server));
  boundClients(server, all);
  makeRoom(server);
  const slowReaders = new SlowReaders(all);
  const checking = setInterval(() => slowReaders.cut(), all.checkMs).unref();
  const stopCounting = countBusyTime(server, all.headersMs);
  server.once('close', () => {
    clearInterval(checking);
    stopCounting();
  });
  // Before all other listeners: whatever answers, answers through it.
  return server.on('request', discardUnreadBodies(all)).on('request', (_request, response) => {
    response.setMaxListeners(maxListeners);
    response.once('head', () => slowReaders.watch(response));
  });
}

/**
 * Has a server of {@link createHttpServer} make its requests and responses as Express's from the start. Otherwise Express changes
 * the prototype of each, which takes a fifth of the CPU of a small request: V8 forgets what it knew of such an object.
 */
export function makeExpressMessages(server: Server, app: Express): void {
  const prototypes = prototypesOf.get(server);
  if (!prototypes) throw new Error('a server that was made elsewhere');
  app.request = Object.setPrototypeOf(prototypes.request, app.request) as Express['request'];
  app.response = Object.setPrototypeOf(prototypes.response, app.response) as Express['response'];
}

/** The number of parts that a time is divided into. */
const parts = 20;

/**
 * Has the time for headers count only while the event loop runs, as `kernel/within.ts` does: Node's check comes before what has arrived
 * meanwhile is read, and would answer 408 for the delay of the process.
 */
function countBusyTime(server: Server, headersMs: number): () => void {
  const ticks: number[] = [];
  const ticking = setInterval(() => {
    if (ticks.push(performance.now()) > parts + 1) ticks.shift();
  }, headersMs / parts).unref();
  Object.defineProperty(server, 'headersTimeout', {
    // Node takes whole numbers of 32 bits.
    get: () => (ticks.length <= parts ? 2 ** 31 : Math.round(performance.now() - (ticks[0] ?? 0))),
  });
  return () => clearInterval(ticking);
}

/** Milliseconds between two times that idle connections are closed for others. */
const roomMs = 1_000;

/** If there are as many connections as may be, those without requests give way to those that come. */
function makeRoom(server: Server): void {
  let madeAt = -Infinity;
  server.on('drop', () => {
    const now = performance.now();
    if (now - madeAt < roomMs) return;
    madeAt = now;
    server.closeIdleConnections();
  });
}

const refused = 'taskgate:refused';

/** Reports each connection that is closed as its client has as many as it may. */
export const onRefusedConnection = (
  server: Server,
  listener: (clientAddress: string, refusal: RateLimitError) => void,
): unknown => server.on(refused, listener);

/** Closes connections beyond those that a client, and each network around it, may have. */
function boundClients(server: Server, { maxConnectionsOfClient: quota, isProxy }: HttpLimits): void {
  const open = new GroupCounts();
  const counted = new WeakSet<Socket>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // One whose upgrade was refused starts over.
    if (counted.has(socket) || remoteAddress === undefined || isProxy(remoteAddress)) return;
    const clientAddress = clientAddressFrom(remoteAddress);
    const networks = networksOf(clientAddress);
    if (!open.hasRoom(networks, 1, quota)) {
      const refusal = rateLimited(connectionsOfClient(quota), 'Too many connections', { retryAfter: refusalSeconds });
      server.emit(refused, clientAddress, refusal);
      return void socket.destroy();
    }
    counted.add(socket);
    socket.once('close', open.take(networks, 1));
  });
}

/** Parts of the service that follow a response to its end: each is one, whatever the request. Node would warn of 11. */
const maxListeners = 30;

/**
 * Goes on where a request is answered before its body has come: the rest is read and thrown away, so that a client which
 * sends first and reads then is not reset (RFC 9112, 9.6), and the connection can be used on; beyond the limits it is
 * closed. Of itself Node would read for ever, or reset at once where the response says `Connection: close`.
 */
function discardUnreadBodies({ maxDiscardedBytes, discardMs }: HttpLimits): RequestListener {
  return (request, response) => {
    if (!hasBody(request)) return;
    response.once('prefinish', () => {
      const { socket } = request;
      if (request.complete || socket.destroyed) return;
      const closing = putOffClosing(socket);
      discard(request, maxDiscardedBytes, discardMs, (complete) => {
        if (complete) return closing.resume();
        // The response goes out whole before its connection is closed.
        if (response.writableFinished) socket.destroy();
        else response.once('finish', () => socket.destroy());
      });
    });
  };
}

/** Has the socket only end its own side where Node would destroy it after a connection's last response. */
function putOffClosing(socket: Socket): { resume: () => void } {
  let asked = false;
  socket.destroySoon = () => {
    asked = true;
    socket.end();
  };
  return {
    resume() {
      // It hides the method of all sockets.
      Reflect.deleteProperty(socket, 'destroySoon');
      if (asked) socket.destroySoon();
    },
  };
}

/** Whether a request announces a body (RFC 9112, 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Reads on to the end of a body, and no further than the limits. @param done is given whether it came within them */
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
  // Node does not tell a request that has been answered.
  socket.once('close', settle);
  // Node takes over what nobody has begun to read by the time that the response is finished.
  request.read(0);
}
