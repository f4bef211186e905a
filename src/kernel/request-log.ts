import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { pinoHttp } from 'pino-http';
import { log } from './logger.ts';
import { routeOf } from './request-route.ts';

/** What a request turned out to be. */
interface RequestFacts {
  userId?: string | undefined;
  operation?: { type: string; name: string | undefined };
}

interface Entry extends RequestFacts {
  /** Bytes that the connection had sent before. */
  bytesBefore: number;
}

const entries = new WeakMap<IncomingMessage, Entry>();

/** Adds to what the request's line in the log will say. */
export function noteRequest(request: IncomingMessage, facts: RequestFacts): void {
  const entry = entries.get(request);
  if (entry) Object.assign(entry, facts);
}

/** UTF-16 code units of an operation's name that are logged. */
const maxNameLength = 100;

/** The name of a client's operation, as the log shows it. */
export const loggedName = (name: string | undefined): string | undefined => name?.slice(0, maxNameLength);

/** Asked for by machines, every few seconds. */
const quietRoutes = new Set(['/healthz', '/readyz', '/metrics']);

/** The client has hung up before the end of the answer. */
const isAborted = (response: ServerResponse) => !response.writableFinished;

function levelOf(request: IncomingMessage, response: ServerResponse) {
  if (isAborted(response)) return 'info';
  if (response.statusCode >= 500) return 'error';
  return quietRoutes.has(routeOf(request as Request)) ? 'debug' : 'info';
}

function lineOf(request: IncomingMessage, response: ServerResponse, { responseTime }: { responseTime: number }) {
  const { bytesBefore = 0, userId, operation } = entries.get(request) ?? {};
  return {
    method: request.method,
    route: routeOf(request as Request),
    operation: operation && { type: operation.type, name: loggedName(operation.name) },
    status: response.statusCode,
    ms: responseTime,
    bytes: request.socket.bytesWritten - bytesBefore,
    userId,
    ...(isAborted(response) && { aborted: true }),
  };
}

/**
 * Says one line of each request when it is over: see the README. Nothing personal: no address, no e-mail, no path or
 * query string as it came, no body. It is made after the level of the log has been set.
 */
export function logRequests(): RequestHandler {
  const middleware = pinoHttp({
    logger: log,
    genReqId: (request) => (request as Request).id,
    customAttributeKeys: { reqId: 'requestId' },
    quietReqLogger: true,
    quietResLogger: true,
    wrapSerializers: false,
    serializers: { req: () => undefined },
    customLogLevel: levelOf,
    customSuccessObject: lineOf,
    customErrorObject: (request, response, _error, line) => lineOf(request, response, line as { responseTime: number }),
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
  });
  return (request, response, next) => {
    entries.set(request, { bytesBefore: request.socket.bytesWritten });
    middleware(request, response);
    next();
  };
}
