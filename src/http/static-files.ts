import { type RequestHandler, Router, static as serveStatic } from 'express';
import { unknownPath } from './error-response.ts';

type FileOptions = NonNullable<Parameters<typeof serveStatic>[1]>;

const fileName = /^\/[\w.-]{1,100}$/;

/**
 * Serves the files of a folder, not of folders within it. What cannot be the name of one is refused before it is taken for a
 * path: to resolve one with thousands of `../` takes seconds.
 */
export function staticFiles(folder: string, options: FileOptions): Router {
  const refuseOthers: RequestHandler = (request, _response, next) =>
    next(fileName.test(request.path) ? undefined : unknownPath());
  return Router().use(refuseOthers, serveStatic(folder, { ...options, index: false, fallthrough: false }));
}
