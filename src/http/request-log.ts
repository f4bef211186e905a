import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import type { Request, RequestHandler, Response } from 'express';
import { log } from '../kernel/logger.ts';
import { routeOf } from './request-route.ts';

/** What a request turned out to be. */
interface RequestFacts {
  userId?: string | undefined;
  /** Of the session or access token that it came by, as its user knows it. */
  credentialId?: string | undefined;
  operation?: { type: string; name: string | undefined };
  /** Of its trace, where there is one. */
  traceId?: string;
  spanId?: string;
}

interface Entry extends RequestFacts {
  /** By the clock of the process, in milliseconds. */
  begunAt: number;
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

/** The client has hung up before the end of the response. */
const isAborted = (response: Response) => !response.writableFinished;

function levelOf(request: Request, response: Response) {
  if (isAborted(response)) return 'info';
  if (response.statusCode >= 500) return 'error';
  return quietRoutes.has(routeOf(request)) ? 'debug' : 'info';
}

function lineOf(request: Request, response: Response) {
  const entry = entries.get(request);
  const operation = entry?.operation;
  return {
    requestId: request.id,
    method: request.method,
    route: routeOf(request),
    operation: operation && { type: operation.type, name: loggedName(operation.name) },
    status: response.statusCode,
    ...(entry && {
      ms: Math.round(performance.now() - entry.begunAt),
      bytes: request.socket.bytesWritten - entry.bytesBefore,
      userId: entry.userId,
      credentialId: entry.credentialId,
      traceId: entry.traceId,
      spanId: entry.spanId,
    }),
    ...(isAborted(response) && { aborted: true }),
  };
}

/** Says one line of each request when it is over: see docs/operations.md. No address, no e-mail, no path or query as it came, no body. */
export const logRequests: RequestHandler = (request, response, next) => {
  entries.set(request, { begunAt: performance.now(), bytesBefore: request.socket.bytesWritten });
  finished(response, { readable: false }, () => log[levelOf(request, response)](lineOf(request, response), 'request'));
  next();
};
