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
    // The page's own headers, which show that its requests are no other site's.
    additionalHeaders: { 'x-graphql-yoga-csrf': '1' },
    subscriptionsProtocol: 'SSE',
    shouldPersistHeaders: false,
    defaultTabs: examples,
  });
  const html = Buffer.from(text);
  // Hashes of its scripts, as sources of a Content-Security-Policy.
  const scripts = [...text.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  const etag = `"${createHash('sha256').update(html).digest('base64url')}"`;
  return { html, compressed: await gzip(html), etag, scripts };
}

/**
 * GraphiQL, for browsers that open the endpoint: all that it needs is in the one page. Its policy allows its scripts by their
 * hashes; its editor makes style elements, and starts its workers from blobs.
 */
export function graphiqlPage(): Router {
  // 9 MB of text: made at the first request, and kept.
  let page: ReturnType<typeof makePage> | undefined;
  const show: RequestHandler = async (request, response, next) => {
    // Browsers name text/html; clients that take anything mean data.
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
