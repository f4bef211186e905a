import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';

declare module 'express-serve-static-core' {
  interface Request {
    id: string;
  }
}

const wellFormed = /^[\w.:+/=-]{1,128}$/;

export function requestIdOf({ headers }: IncomingMessage): string {
  const header = headers['x-request-id'];
  return typeof header === 'string' && wellFormed.test(header) ? header : randomUUID();
}

/** Keeps a caller's well-formed id. */
export const assignRequestId: RequestHandler = (request, response, next) => {
  request.id = requestIdOf(request);
  response.set('X-Request-Id', request.id);
  next();
};
