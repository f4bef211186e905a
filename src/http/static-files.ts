import { type RequestHandler, Router, static as serveStatic } from 'express';
import { unknownPath } from '../platform/errors.ts';

type FileOptions = NonNullable<Parameters<typeof serveStatic>[1]>;

const fileName = /^\/[\w.-]{1,100}$/;

/**
 * Serves one folder level. Other names are refused before they are resolved, because thousands of `../` take seconds.
 */
export function staticFiles(folder: string, options: FileOptions): Router {
  const refuseOthers: RequestHandler = (request, _response, next) =>
    next(fileName.test(request.path) ? undefined : unknownPath());
  return Router().use(refuseOthers, serveStatic(folder, { ...options, index: false, fallthrough: false }));
}
