import type { ServerResponse } from 'node:http';
import path from 'node:path';
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

/** Avatars are for every page to show; a file's name is never used again, so that it never changes. */
export const avatarFiles = (folder: string): Router =>
  staticFiles(folder, {
    immutable: true,
    maxAge: '1y',
    setHeaders(response: ServerResponse, file: string) {
      response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
      // Its own name, so that a browser makes up none from the address (OWASP ASVS 5.4.1).
      response.setHeader('Content-Disposition', `inline; filename="${path.basename(file)}"`);
    },
  });
