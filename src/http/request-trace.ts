import type { RequestHandler } from 'express';
import { openSpan } from '../kernel/tracing.ts';
import { noteRequest } from './request-log.ts';
import { routeOf } from './request-route.ts';

/** Traces every request, where traces are on: continues the caller's, if it has one. */
export const traceRequests: RequestHandler = (request, response, next) => {
  const { method, headers } = request;
  const span = openSpan(
    method,
    'SERVER',
    { 'http.request.method': method, 'taskgate.request_id': request.id },
    headers,
  );
  if (!span) return next();
  noteRequest(request, span.ids);
  response.once('close', () => {
    const route = routeOf(request);
    const { statusCode: status, writableFinished } = response;
    span.rename(`${method} ${route}`);
    const attributes = { 'http.route': route, 'http.response.status_code': status };
    span.end(
      attributes,
      writableFinished && status < 500 ? undefined : { code: writableFinished ? String(status) : 'aborted' },
    );
  });
  span.run(next);
};
