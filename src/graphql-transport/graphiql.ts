import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import { type RequestHandler, Router } from 'express';
import { pagePolicy } from '../http/security-headers.ts';
import { examples } from './examples.ts';

const gzip = promisify(gzipWithCallback);

async function makePage() {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const text = renderGraphiQL({
    title: 'Taskgate',
    credentials: 'same-origin',
    // Passes the CSRF check.
    additionalHeaders: { 'x-graphql-yoga-csrf': '1' },
    subscriptionsProtocol: 'SSE',
    shouldPersistHeaders: false,
    defaultTabs: examples,
  });
  const html = Buffer.from(text);
  const scripts = [...text.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  const etag = `"${createHash('sha256').update(html).digest('base64url')}"`;
  return { html, compressed: await gzip(html), etag, scripts };
}

/** Serves GraphiQL. Its policy allows scripts by their hashes, style elements, and workers from blobs. */
export function graphiqlPage(): Router {
  // 9 MB, so created on first use.
  let page: ReturnType<typeof makePage> | undefined;
  const show: RequestHandler = async (request, response, next) => {
    if (!request.get('accept')?.includes('text/html')) return next();
    page ??= makePage().catch((error: unknown) => {
      page = undefined;
      throw error;
    });
    const { html, compressed, etag, scripts } = await page;
    const policy = pagePolicy({
      'script-src': scripts,
      'style-src': ["'unsafe-inline'"],
      'font-src': ['data:', "'self'"],
      'img-src': ['data:', "'self'"],
      'worker-src': ['blob:'],
      'connect-src': ["'self'"],
    });
    response.set({
      'Content-Security-Policy': policy,
      'Cache-Control': 'private, no-cache',
      ETag: etag,
      Vary: 'Accept, Accept-Encoding, Origin',
    });
    if (request.fresh) return void response.status(304).end();
    response.type('html');
    if (!request.acceptsEncodings('gzip')) return void response.send(html);
    response.set('Content-Encoding', 'gzip').send(compressed);
  };
  return Router().get('/', show);
}
