import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

declare module 'express-serve-static-core' {
  interface Request {
    /** Names the request in answers and logs. */
    id: string;
  }
}

const wellFormed = /^[\w.:+/=-]{1,128}$/;

/** Gives the request an id, the caller's own where it is well formed, and answers it as `X-Request-Id`. */
export const assignRequestId: RequestHandler = (request, response, next) => {
  const given = request.get('x-request-id');
  request.id = given !== undefined && wellFormed.test(given) ? given : randomUUID();
  response.set('X-Request-Id', request.id);
  next();
};
