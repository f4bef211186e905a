import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { html } from '@taskgate/http';
import { pagePolicy } from '../http/security-headers.ts';
import { packageFolder } from '../platform/package.ts';
import type { Config } from '../config/config.ts';

const folder = path.join(packageFolder, 'dist/console');

/** Paths of pages, as in `console/src/app/paths.ts`. */
const pages =
  /^\/(?:(?:today|upcoming|calendar|assigned|notifications|completed|projects|tags|tasks|trash|search|workspaces|settings|oauth\/authorize|signup|forgot)(?:\/.*)?)?$/;

const policy = pagePolicy({ 'default-src': ["'self'"] });

interface BuiltFile {
  readonly extension: string;
  readonly cacheControl: string;
  readonly plain: Buffer;
  readonly compressed: Buffer;
}

const fileOf = (name: string, plain: Buffer, cacheControl: string): BuiltFile => ({
  extension: path.extname(name),
  cacheControl,
  plain,
  compressed: gzipSync(plain),
});

const read = (name: string) => readFileSync(path.join(folder, name));

function send(request: Request, response: Response, file: BuiltFile, varies: string): void {
  const mayCompress = request.acceptsEncodings('gzip') === 'gzip';
  response.type(file.extension).set({ 'Cache-Control': file.cacheControl, Vary: varies });
  if (mayCompress) response.set('Content-Encoding', 'gzip');
  response.send(mayCompress ? file.compressed : file.plain);
}

export const isConsoleBuilt = (): boolean => existsSync(path.join(folder, 'index.html'));

/** Location of mailed codes for the page's `taskgate-mail`. In production it names no folder. */
export function codesLocation({ smtpUrl, isProduction, dataDir }: Config): string {
  if (smtpUrl !== undefined) return 'smtp';
  if (isProduction) return 'files';
  const outbox = path.relative('', path.join(dataDir, 'outbox'));
  return outbox.startsWith('..') ? path.resolve(outbox) : outbox;
}

/** Serves the console to clients that accept HTML. Names of assets contain their hash. */
export function consolePages(location: string): Router {
  const text = read('index.html')
    .toString()
    .replace('{{mail}}', () => html`${location}`.source);
  const page = fileOf('index.html', Buffer.from(text), 'no-cache');
  const worker = fileOf('sw.js', read('sw.js'), 'no-cache');
  const names = readdirSync(path.join(folder, 'assets'));
  const assets = new Map(
    names.map((name) => [name, fileOf(name, read(`assets/${name}`), 'public, max-age=31536000, immutable')]),
  );
  const showPage: RequestHandler = (request, response, next) => {
    if (!request.get('accept')?.includes('text/html')) return next();
    response.set('Content-Security-Policy', policy);
    send(request, response, page, 'Accept, Accept-Encoding, Origin');
  };
  const router = Router();
  router.get(pages, showPage);
  router.get('/sw.js', (request, response) => {
    response.set('Content-Security-Policy', policy);
    send(request, response, worker, 'Accept-Encoding, Origin');
  });
  router.get('/assets/:name', (request, response, next) => {
    const asset = assets.get(request.params.name);
    if (!asset) return next();
    send(request, response, asset, 'Accept-Encoding, Origin');
  });
  return router;
}
